import { describe, expect, it } from "vitest"
import { openPart, chipOf } from "../../packages/core/parts/table.ts"
import { newSession, openServed, settled } from "../host/served.ts"
import { missing } from "../machine.ts"
import { Terminal } from "../tui/terminal.ts"

const KEY = `sk-ant-api03-${"A1b2C3d4".repeat(11)}-AAAAAAAA`
const BYTES = new TextEncoder().encode("RIFF....WAVEfmt ")

describe("an audio-clip", () => {
  it("is sent, kept without secrets, and read back", async () => {
    const served = await openServed()
    const session = await newSession(served)
    const { content_id } = await served.client.upload(BYTES, { name: "clip.wav" })
    if (content_id === undefined) throw new Error("the upload has no content id")
    const clip = { type: "audio-clip", mime: "audio/wav", content_id, duration_ms: 1500 }
    const parts = [{ ...clip, transcript: `my key is ${KEY}` }]
    await served.client.send(session, { parts })
    const [message] = await settled(served, session)
    expect(message?.parts.map(({ type }) => type)).toEqual(["audio-clip"])
    expect(JSON.stringify(message)).not.toContain(KEY)
    expect(message?.parts[0]?.data.transcript).toContain("redacted")
    expect(JSON.stringify(served.model.calls)).not.toContain(KEY)
  })

  it("keeps its bytes alive past the day of their upload", async () => {
    const served = await openServed()
    const session = await newSession(served)
    const { content_id } = await served.client.upload(BYTES, { name: "clip.wav" })
    if (content_id === undefined) throw new Error("the upload has no content id")
    const clip = { type: "audio-clip", mime: "audio/wav", content_id, duration_ms: 1500 }
    await served.client.send(session, { parts: [clip] })
    await settled(served, session)
    const swept = await served.running.host.store.sweep({
      uploads_before: Number.MAX_SAFE_INTEGER,
      streams_before: 0,
    })
    expect(swept.content_ids).toEqual([])
    const answer = await served.client.blob(session, content_id)
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(BYTES)
  })

  it("whose bytes nobody sent is refused", async () => {
    const served = await openServed()
    const session = await newSession(served)
    const content_id = `sha256:${"b".repeat(64)}`
    const clip = { type: "audio-clip", mime: "audio/wav", content_id, duration_ms: 1500 }
    await expect(served.client.send(session, { parts: [clip] })).rejects.toThrow(/./)
  })

  it("is a card on a page", () => {
    const clip = {
      type: "audio-clip",
      mime: "audio/wav",
      content_id: "sha256:x",
      duration_ms: 1500,
    }
    const part = openPart(clip)
    expect(chipOf(part)).toMatchObject({ look: "card" })
    expect(chipOf(part).label(part)).toBe("clip of 1.5 s")
  })

  it.skipIf(missing("tmux"))("is shown in the terminal", async () => {
    const terminal = await Terminal.open()
    await terminal.shows("ready")
    const { sessions } = await terminal.client.sessions.list({})
    const [session] = sessions
    if (!session) throw new Error("the terminal has a session")
    const { content_id } = await terminal.client.upload(BYTES, { name: "clip.wav" })
    const clip = { type: "audio-clip", mime: "audio/wav", content_id, duration_ms: 1500 }
    await terminal.client.send(session.id, { parts: [clip] })
    expect(await terminal.shows("clip of 1.5 s")).toMatch(/\S/)
  })
})
