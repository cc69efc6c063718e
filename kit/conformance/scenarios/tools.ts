import { readFile, symlink } from "node:fs/promises"
import { join } from "node:path"
import { approveAll, approved, called, failed, given } from "../calls.ts"
import { gate, type Json, until, words } from "../kit.ts"
import { attached, png, zip } from "../samples.ts"
import type { Scenario } from "../scenario.ts"

/** What the model's calls do, and what they are not let do. */
export const toolScenarios: readonly Scenario[] = [
  {
    title: "tools read and write",
    rules: ["TOL-001", "TOL-002", "TOL-003", "TOL-004", "TOL-007", "VIS-001", "VIS-002", "BIN-052"],
    needs: ["model", "folder"],
    async live(kit, see) {
      await kit.file("tools/a.txt", "one\ntwo\n")
      await kit.file("tools/a.png", png(4, 3))
      await kit.file("tools/long.txt", "0123456789abcde\n".repeat(20_000))
      const id = await kit.session()
      const [read, image, view, wrong, nothing, long, glob, grep, seen] = await called(
        kit,
        id,
        { name: "read", input: { path: "tools/a.txt" } },
        { name: "read", input: { path: "tools/a.png" } },
        { name: "view_image", input: { path: "tools/a.png" } },
        { name: "read", input: { path: 5, extra: true } },
        { name: "fly", input: {} },
        { name: "read", input: { path: "tools/long.txt" } },
        { name: "glob", input: { pattern: "tools/*.txt" } },
        { name: "grep", input: { pattern: "two", path: "tools" } },
        { name: "read_image", input: { path: "tools/none.png" } },
      )
      const told = kit.model.heard[0]?.tools ?? []
      const ids = [
        "read",
        "write",
        "edit",
        "glob",
        "grep",
        "todo",
        "question",
        "web_fetch",
        "skill",
      ]
      see.equal(
        "TOL-001",
        "tools that are missing",
        ids.filter((name) => !told.includes(name)),
        [],
      )
      const wire = kit.model.heard[0]?.wire.tools as Json[]
      const about = wire.every(({ description, input_schema }) => description && input_schema)
      see.holds("TOL-002", "each says what it is and takes", about, wire[0])
      see.contains("TOL-003", "what read gives", given(read), "two")
      see.equal("TOL-003", "its state", read.state, "output-available")
      see.holds(
        "TOL-003",
        "how long it took",
        typeof read.metadata?.duration_ms === "number",
        read.metadata,
      )
      see.holds("VIS-001", "read of a picture", failed(image), image)
      see.contains("TOL-001", "view_image", given(view), "image")
      see.contains(
        "VIS-001",
        "the pixels",
        kit.model.heard[1]?.raw ?? "",
        png(4, 3).toString("base64"),
      )
      see.contains(
        "VIS-002",
        "they stand where the wire has a place",
        kit.model.heard[1]?.raw ?? "",
        '"type":"image"',
      )
      see.contains("VIS-001", "a picture that is not there", given(seen), "absent")
      see.holds("TOL-002", "a wrong input", failed(wrong) && given(wrong).includes("path"), wrong)
      see.contains("TOL-002", "every fault of it", given(wrong), "extra")
      see.holds("TOL-002", "a tool that is not there", failed(nothing), nothing)
      see.equal("TOL-004", "long output is cut", long.metadata?.truncated, true)
      const path = String(long.metadata?.output_path)
      const [more] = await called(kit, id, {
        name: "read",
        input: { path, start: 19_999, end: 20_000 },
      })
      see.contains("TOL-004", "where the model can read on", given(more), "0123456789abcde")
      see.contains("TOL-001", "glob", given(glob), "tools/a.txt")
      see.contains("TOL-001", "grep", given(grep), "two")
      const [edited] = await approved(kit, id, {
        name: "edit",
        input: { path: "tools/a.txt", old_string: "two", new_string: "zwei" },
      })
      see.holds("TOL-007", "an edit of what is there", !failed(edited), edited)
      see.equal(
        "TOL-007",
        "the file",
        await readFile(join(kit.folder, "tools/a.txt"), "utf8"),
        "one\nzwei\n",
      )
      const [missed] = await approved(kit, id, {
        name: "edit",
        input: { path: "tools/a.txt", old_string: "drei", new_string: "vier" },
      })
      see.holds("TOL-007", "an edit of what is not there", failed(missed), missed)
      await symlink("/tmp", join(kit.folder, "tools/out"))
      const outside = await approved(
        kit,
        id,
        { name: "write", input: { path: "tools/out/kit-was-here.txt", content: "x" } },
        { name: "write", input: { path: "../kit-was-here.txt", content: "x" } },
      ).catch(() =>
        called(kit, id, { name: "write", input: { path: "../kit-was-here.txt", content: "x" } }),
      )
      see.holds("BIN-052", "what is written outside", outside.every(failed), outside)
    },
  },
  {
    title: "a person is asked",
    rules: ["SES-070", "SES-071", "TOL-005", "EVT-001", "PER-010", "SES-080"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const id = await kit.session()
      kit.model.playCalls([{ name: "write", input: { path: "asked.txt", content: "yes" } }])
      await kit.client.send(id, words("write it"))
      await kit.state(id, "waiting_on_approval")
      const turn = await kit.lastTurn(id)
      see.equal("SES-070", "its status", (await kit.client.status(id)).state, "waiting_on_approval")
      const missing = await readFile(join(kit.folder, "asked.txt"), "utf8").catch(() => "missing")
      see.equal("SES-070", "nothing ran", missing, "missing")
      const meanwhile = await kit.client.send(id, words("meanwhile"))
      see.equal("SES-071", "text sent meanwhile", meanwhile.message?.state, "queued")
      const at = { session_id: id, turn_id: turn.id, call_id: turn.waiting[0]?.call_id ?? "" }
      const path = `/v1/sessions/${id}/turns/${turn.id}/calls/${at.call_id}`
      const answer = await kit.ask("POST", `${path}/answer`, { json: { answers: [["x"]] } })
      see.equal("SES-071", "a word that it does not wait for", answer.status, 409)
      await approveAll(kit, id, true)
      await kit.rest(id)
      const late = await kit.ask("POST", `${path}/approve`, { json: {} })
      see.equal("SES-071", "once it is settled", late.status, 409)
      see.equal("SES-071", "it ran", await readFile(join(kit.folder, "asked.txt"), "utf8"), "yes")
      const frames = await kit.frames(
        `/v1/sessions/${id}/events`,
        ({ data }) => data?.type === "turn-finished",
      )
      const types = frames.map(({ data }) => data?.type)
      const [asked, ended] = [types.indexOf("approval-requested"), types.indexOf("turn-finished")]
      see.holds("EVT-001", "the request comes before the end", asked >= 0 && asked < ended, types)
      const { session } = await kit.client.sessions.get(id)
      const [rule] = session.permissions as Json[]
      const shape = ["permission", "pattern", "action", "source"].filter(
        (key) => !(key in (rule ?? {})),
      )
      see.equal("PER-010", "what a rule lacks", shape, [])
      const [again] = await called(kit, id, {
        name: "write",
        input: { path: "asked.txt", content: "again" },
      })
      see.holds("PER-010", "always is not asked again", !failed(again), again)
      kit.model.playCalls([{ name: "question", input: { questions: [{ question: "Which?" }] } }])
      await kit.client.send(id, words("ask me"))
      await kit.state(id, "waiting_on_user_input")
      const waiting = await kit.lastTurn(id)
      const call = {
        session_id: id,
        turn_id: waiting.id,
        call_id: waiting.waiting[0]?.call_id ?? "",
      }
      await kit.client.calls.answer(call, { answers: [["the left one"]] })
      await kit.rest(id)
      const heard = kit.model.heard.at(-1)?.results.join("\n") ?? ""
      see.contains("TOL-005", "the answer, to the model", heard, "the left one")
      const manifest =
        "---\ndescription: The kit's.\npermissions:\n  fs.write: deny\n---\nBe strict.\n"
      await kit.file(".agents/agents/strict.md", manifest)
      await kit.trust(".agents/agents/strict.md")
      const strict = await kit.session({ agent: "strict" })
      const [denied] = await called(kit, strict, {
        name: "write",
        input: { path: "no.txt", content: "x" },
      })
      see.holds("SES-080", "what the manifest denies", failed(denied), denied)
    },
  },
  {
    title: "scratch and archives",
    rules: [
      "SCR-001",
      "SCR-002",
      "CMPH-012",
      "BIN-033",
      "BIN-050",
      "BIN-051",
      "BIN-054",
      "BIN-060",
      "BIN-062",
    ],
    needs: ["model", "folder"],
    async live(kit, see) {
      const id = await kit.session()
      await kit.file("arc/good.zip", zip({ "in/b.txt": "inside", "pic.png": "not really" }))
      await kit.file("arc/evil.zip", zip({ "ok.txt": "fine", "../../evil.txt": "outside" }))
      const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`f${at}`, ""]))
      await kit.file("arc/many.zip", zip(many))
      const [good, evil, flood] = await called(
        kit,
        id,
        { name: "extract", input: { path: "arc/good.zip" } },
        { name: "extract", input: { path: "arc/evil.zip" } },
        { name: "extract", input: { path: "arc/many.zip" } },
      )
      const place = /"(\/[^"]*)\/in\/b\.txt"/.exec(given(good))?.[1] ?? folderOf(good)
      see.holds("BIN-054", "an absolute path", place.startsWith("/"), given(good))
      see.lacks("BIN-050", "it lies in the workspace", place, kit.folder)
      const path = `${place}/in/b.txt`
      const [read] = await called(kit, id, { name: "read", input: { path } })
      see.contains("BIN-060", "its files can be read", given(read), "inside")
      see.holds("BIN-060", "an archive that leads outside, whole", failed(evil), evil)
      see.holds("BIN-062", "more files than may be", failed(flood), given(flood).slice(0, 200))
      const later = await called(kit, id, { name: "read", input: { path } })
      see.holds("BIN-051", "in the next turn", !failed(later[0]), later[0])
      const [shown] = await called(kit, id, { name: "attach", input: { path } })
      see.contains("BIN-033", "what was made comes in by attach", given(shown), "inside")
      const other = await kit.session()
      const [foreign] = await called(kit, other, { name: "read", input: { path } })
      see.holds("SCR-001", "another session", failed(foreign), foreign)
      const file = attached("kept.txt", Buffer.from("kept whole\n".repeat(10_000)))
      const { sent } = await kit.turn(id, { parts: [file] })
      const content = String(sent.message?.parts[0]?.data["content_id"])
      const [copy] = await called(kit, id, {
        name: "read",
        input: { path: content, start: 1, end: 2 },
      })
      see.contains("SCR-002", "an attachment by its content id", given(copy), "kept whole")
      see.contains("CMPH-012", "the file that its part names", given(copy), "kept whole")
    },
  },
  {
    title: "a folder is given",
    rules: ["CMPH-002", "CMPH-003", "CMPH-004", "CMPH-005", "CMPH-006"],
    needs: ["model", "folder"],
    async live(kit, see) {
      await kit.file("given/docs/a.txt", "in the given folder\n")
      await kit.file("secret/b.txt", "not given\n")
      await symlink(join(kit.folder, "secret"), join(kit.folder, "given/docs/link"))
      const id = await kit.session({ workspace_root: null })
      await kit.turn(id, `read ${join(kit.folder, "given/docs")}`)
      const { body: granted } = await kit.ask("GET", `/v1/sessions/${id}/scopes`)
      see.equal("CMPH-002", "folders that words gave", granted.scopes, [])
      const { part } = await kit.client.giveFolder(id, join(kit.folder, "given/docs"))
      const { heard } = await kit.turn(id, { parts: [{ type: "text", text: "see" }, part] })
      see.lacks("CMPH-005", "what it holds", heard[0]?.said ?? "", "a.txt")
      const inside = part.ref.id
      const [read, linked, written] = await called(
        kit,
        id,
        { name: "read", input: { path: `${inside}/a.txt` } },
        { name: "read", input: { path: `${inside}/link/b.txt` } },
        { name: "read", input: { path: `${inside}/../../secret/b.txt` } },
      )
      see.contains("CMPH-003", "a file of it", given(read), "in the given folder")
      see.holds("CMPH-003", "what a link leads to", failed(linked) && failed(written), [
        linked,
        written,
      ])
      kit.model.playCalls([{ name: "write", input: { path: `${inside}/new.txt`, content: "x" } }])
      await kit.client.send(id, words("write"))
      await until(async () => (await kit.client.status(id)).state !== "busy", "an end")
      if ((await kit.client.status(id)).state === "waiting_on_approval") await approveAll(kit, id)
      await kit.rest(id)
      const made = await readFile(join(kit.folder, "given/docs/new.txt"), "utf8").catch(() => "no")
      see.equal("CMPH-004", "what was written into it", made, "no")
      const other = await kit.session({ workspace_root: null })
      await kit.turn(other, { parts: [part] })
      const [foreign] = await called(kit, other, {
        name: "read",
        input: { path: `${inside}/a.txt` },
      })
      see.holds("CMPH-006", "the same part in another session", failed(foreign), foreign)
    },
  },
  {
    title: "a call is stopped",
    rules: ["SES-062", "TOL-007"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const id = await kit.session()
      const door = gate()
      kit.model.play((_, count) =>
        count === 1
          ? {
              text: "Wait. ",
              calls: [{ name: "read", input: { path: "tools/a.txt" } }],
              until: door.wait,
            }
          : { text: "Done." },
      )
      await kit.client.send(id, words("read"))
      await until(() => kit.model.heard.length === 1, "a request")
      await kit.client.abort(id)
      door.open()
      await kit.rest(id)
      const calls = (await kit.messages(id))
        .flatMap(({ parts }) => parts)
        .filter(({ type }) => type === "tool-read")
      const ran = calls.filter(({ tool_state }) => tool_state === "output-available")
      see.equal("TOL-007", "calls that ran after the stop", ran.length, 0)
      const next = await kit.turn(id, "go on")
      see.equal("SES-062", "the session goes on", next.heard.length, 1)
    },
  },
]

function folderOf(call: Json): string {
  const { folder, path, to } = call?.output?.data ?? {}
  return String(folder ?? path ?? to ?? "")
}
