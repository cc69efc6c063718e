import { describe, expect, it } from "vitest"
import { newId } from "../../../packages/core/message/id.ts"
import type { AuditEntry } from "../../../packages/core/message/principal.ts"
import type { Store } from "../../../packages/engine/store/store.ts"
import { begin, blobOf, blobPart, enqueue, fire, type Maker, openStore } from "../build.ts"

const ANA = "user:ana"
const BERT = "user:bert"

async function withTwo(maker: Maker): Promise<Store> {
  const store = await openStore(maker)
  for (const id of [ANA, BERT])
    await store.addPrincipal({ id, name: id, workspaces: ["/work"], limits: {} })
  return store
}

function tokenOf(principal: string, digest: string) {
  return { id: `tok_${digest}`, digest, principal, name: "first", expires_at: null }
}

function entry(at: number, principal: string): AuditEntry {
  const about = { action: "GET /v1/sessions", named: ["ses_x"], status: 200 }
  return { at, principal, ...about, request_id: `r${at}`, address: null }
}

/** Who shares a store, whose what is in it, and who asked for what. */
export function principalContract(maker: Maker) {
  describe("principals", () => {
    it("[PRI-006] knows a principal by the digest of its token, and a revoked one as revoked", async () => {
      const store = await withTwo(maker)
      await store.addPrincipalToken(tokenOf(ANA, "d1"))
      await store.usePrincipalToken({ id: "tok_d1" })
      const known = await store.principalByToken("d1")
      expect(known?.principal).toMatchObject({ id: ANA, workspaces: ["/work"], revoked_at: null })
      expect(known?.token.last_used_at).toBeGreaterThan(0)
      expect(JSON.stringify(await store.principalTokens(ANA))).not.toContain("digest")
      await store.revokePrincipalToken({ id: "tok_d1" })
      await store.revokePrincipal({ id: ANA })
      const gone = await store.principalByToken("d1")
      expect([gone?.principal.revoked_at, gone?.token.revoked_at]).toEqual([
        expect.any(Number),
        expect.any(Number),
      ])
      expect(await store.principalByToken("d2")).toBeNull()
      await expect(store.addPrincipalToken(tokenOf(ANA, "d3"))).rejects.toThrow("was revoked")
      await expect(store.addPrincipalToken(tokenOf("user:eve", "d4"))).rejects.toThrow(
        "no principal",
      )
      const again = { id: ANA, name: "another", workspaces: [], limits: {} }
      await expect(store.addPrincipal(again)).rejects.toThrow("already")
      expect((await store.principals()).map(({ id }) => id)).toEqual([ANA, BERT])
    })

    it("[PRI-002] says whose each thing is, branches and what stands in sessions too", async () => {
      const store = await withTwo(maker)
      const { id } = await begin(store, { principal: ANA })
      const { id: operators } = await begin(store)
      const { message, claim } = await fire(store, id, "go")
      const branch = { id: newId("ses"), parent_id: id, from_message_id: null }
      await store.branch({ ...branch, title: null, metadata: {} })
      const ids = [id, branch.id, message.id, message.parts[0]?.id ?? "", claim.turn.id]
      const owners = await store.owners([...ids, operators, newId("ses"), newId("str"), "nothing"])
      expect(owners).toHaveLength(ids.length + 1)
      for (const one of ids) expect(owners).toContainEqual({ id: one, principal: ANA })
      expect(owners).toContainEqual({ id: operators, principal: null })
      expect(
        (await store.sessions({ limit: 9, principal: ANA })).map((one) => one.id).sort(),
      ).toEqual([id, branch.id].sort())
      expect(await store.sessions({ limit: 9, principal: BERT })).toEqual([])
      expect(await store.sessions({ limit: 9 })).toHaveLength(3)
    })

    it("[PRI-003] has a content by its upload or by a session, each principal its own", async () => {
      const store = await withTwo(maker)
      const blob = blobOf("a", { stored: false })
      const { content_id, size, mime } = blob
      for (const principal of [ANA, BERT, null])
        await store.recordUpload({ content_id, size, mime, principal })
      expect(await store.ownContent(ANA, [content_id, `sha256:${"b".repeat(64)}`])).toEqual([
        content_id,
      ])
      const { id } = await begin(store, { principal: BERT })
      await enqueue(store, id, "look", { parts: [blobPart(blob)] })
      expect(await store.ownContent(BERT, [content_id])).toEqual([content_id])
      // Another's upload of the same bytes was not taken up by it.
      expect(await store.ownContent(ANA, [content_id])).toEqual([content_id])
      await store.sweep({ uploads_before: Number.MAX_SAFE_INTEGER, streams_before: 0 })
      expect(await store.ownContent(ANA, [content_id])).toEqual([])
      expect(await store.ownContent(BERT, [content_id])).toEqual([content_id])
    })

    it("[PRI-007] keeps the audit in order, by whom and since when, and lets the old go", async () => {
      const store = await withTwo(maker)
      await store.recordAudit({ entries: [entry(1, ANA), entry(2, BERT), entry(3, ANA)] })
      const times = async (filter: object) =>
        (await store.audit({ limit: 10, ...filter })).map(({ at }) => at)
      expect(await times({})).toEqual([3, 2, 1])
      expect(await times({ principal: ANA })).toEqual([3, 1])
      expect(await times({ since: 2 })).toEqual([3, 2])
      const [newest] = await store.audit({ limit: 1 })
      expect(newest).toMatchObject(entry(3, ANA))
      expect(await times({ before: newest?.id })).toEqual([2, 1])
      await store.sweepAudit({ before: 2, max_entries: 10 })
      expect(await times({})).toEqual([3, 2])
      await store.sweepAudit({ before: 0, max_entries: 1 })
      expect(await times({})).toEqual([3])
    })
  })
}
