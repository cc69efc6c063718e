// What runs behind walls: what it sees of the server, what it may change, what it may take.

import { execFileSync } from "node:child_process"
import { chmod, readdir, readFile, stat } from "node:fs/promises"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { missing } from "../machine.ts"
import { ANTHROPIC, type Model, startModel } from "./outside/model.ts"
import {
  CHECKOUT,
  type Files,
  makeFolders,
  run,
  type Server,
  startServer,
} from "./outside/product.ts"

const MARK = "zq7marked"

/** Forty variables as servers have them. */
const MARKED: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ..."ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY GOOGLE_API_KEY MISTRAL_API_KEY".split(" "),
    ..."GROQ_API_KEY OPENROUTER_API_KEY XAI_API_KEY DEEPSEEK_API_KEY AZURE_OPENAI_API_KEY".split(
      " ",
    ),
    ..."COMPOSITOR_METRICS_TOKEN COMPOSITOR_TOKEN COMPOSITOR_OPENAI_API_KEY".split(" "),
    ..."AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE".split(" "),
    ..."S3_SECRET DATABASE_URL PGPASSWORD MY_DB REDIS_URL GITHUB_TOKEN GH_TOKEN NPM_TOKEN".split(
      " ",
    ),
    ..."SLACK_TOKEN STRIPE_KEY SENTRY_DSN TWILIO_TOKEN VAULT_TOKEN KUBECONFIG SSH_AUTH_SOCK".split(
      " ",
    ),
    ..."GPG_AGENT_INFO DOCKER_AUTH MY_A MY_B MY_C MY_D MY_E MY_F".split(" "),
  ].map((name, at) => [name, `${MARK}-${at}-${name.toLowerCase()}`]),
)

/** Everything under /proc that tells of variables, descriptors and words, in a form that no sieve sees. */
const SEARCH =
  "(cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ /proc/[0-9]*/cmdline; head -c 9000 /proc/self/fd/40; ls -l /proc/[0-9]*/fd; env) 2>/dev/null </dev/null | base64 -w0"

/** An agent of the user's own that asks nobody. */
const FREE = {
  "home/.agents/agents/free.md":
    "---\ndescription: Asks nobody.\npermissions:\n  shell.run: allow\n  fs.write: allow\n  fs.read: allow\n---\nDo it.\n",
}

interface Stage {
  readonly server: Server
  readonly model: Model
  /** Let the model call these tools, and give back what each answered. */
  readonly call: (...calls: readonly { name: string; input: object }[]) => Promise<string[]>
  /** One shell command's answer. */
  readonly bash: (command: string) => Promise<string>
}

interface StageOptions {
  readonly files?: Files
  readonly environment?: Readonly<Record<string, string>>
  readonly launcher?: (root: string) => Promise<readonly string[]>
  /** Made in the workspace before the server starts. */
  readonly prepare?: (workspace: string) => void
}

async function openStage(options: StageOptions = {}): Promise<Stage> {
  const folders = await makeFolders({ ...FREE, ...options.files })
  options.prepare?.(folders.workspace)
  let calls: readonly { name: string; input: object }[] = []
  const model = await startModel((body) => {
    const next = calls[body.messages.flatMap(answersIn).length]
    return next ? { calls: [next] } : "done"
  })
  const launcher = await options.launcher?.(folders.root)
  const server = await startServer({
    folders,
    environment: { ...model.environment, ...options.environment },
    ...(launcher ? { launcher } : {}),
  })
  const stage: Stage = {
    server,
    model,
    call: async (...given) => {
      calls = given
      const session = await server.session(ANTHROPIC, { agent: "free" })
      expect((await server.send(session, "go on")).status).toBe(201)
      await server.settled(session)
      const answers = model.bodies.at(-1).messages.flatMap(answersIn)
      expect(answers, server.log).toHaveLength(given.length)
      return answers
    },
    bash: async (command) => (await stage.call({ name: "bash", input: { command } })).join("\n"),
  }
  return stage
}

// oxlint-disable-next-line typescript/no-explicit-any
function answersIn(message: any): string[] {
  const blocks = [message.content]
    .flat()
    .filter(({ type }: { type?: string }) => type === "tool_result")
  // oxlint-disable-next-line typescript/no-explicit-any
  return blocks.map(({ content }: any) =>
    typeof content === "string" ? content : JSON.stringify(content),
  )
}

/** What stands in base64 in a text, in plain. */
function unwrapped(text: string): string {
  const runs = text.match(/[A-Za-z0-9+/]{80,}={0,2}/g) ?? []
  return runs.map((run) => Buffer.from(run, "base64").toString("latin1")).join("\n")
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

function git(folder: string, ...words: readonly string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
  return execFileSync("git", [...who, ...words], { cwd: folder, encoding: "utf8", stdio: "pipe" })
}

/** Stands before bubblewrap in PATH, and writes down what every sandbox is started with. */
const WITNESS = (log: string) => `#!/bin/sh
{ echo STARTED; /usr/bin/tr '\\0' '\\n' < /proc/self/environ; /usr/bin/ls -l /proc/self/fd; } >> ${log} 2>/dev/null
exec ${execFileSync("sh", ["-c", "command -v bwrap || true"], { encoding: "utf8" }).trim()} "$@"
`

const POSTSCRIPT = "%!PS\n(hello) show showpage\n"
const COMMAND = `---\ndescription: x\n---\nFound: !\`${SEARCH}\`\n`

/** Every kind of process that reads hostile bytes or runs hostile words; what of it has a mark. */
async function runEverything(asUser?: number): Promise<string[]> {
  const secret = "handed-on-by-the-parent"
  const stage = await openStage({
    files: {
      "workspace/a.ps": POSTSCRIPT,
      "workspace/a.csv": "a,b\n1,2\n",
      "workspace/a.bmp": Buffer.concat([Buffer.from("BM"), Buffer.alloc(56)]),
      "workspace/a.eml": "From: a@b\nSubject: hello\n\nwords\n",
      "workspace/.agents/commands/look.md": COMMAND,
      "witness/gs": "#!/bin/sh\nexit 0\n",
      "handed-on": `${MARK} ${secret}\n`.repeat(20),
    },
    launcher: async (root) => {
      const { writeFile } = await import("node:fs/promises")
      await writeFile(join(root, "witness", "bwrap"), WITNESS(join(root, "log")))
      await chmod(join(root, "witness", "bwrap"), 0o755)
      await chmod(join(root, "witness", "gs"), 0o755)
      await writeFile(join(root, "log"), "")
      if (asUser !== undefined) execFileSync("chown", ["-R", `${asUser}:${asUser}`, root])
      const user = [`--reuid=${asUser}`, `--regid=${asUser}`, "--clear-groups"]
      const become = asUser === undefined ? [] : ["setpriv", ...user]
      return [
        ...become,
        "bash",
        "-c",
        'exec 40< "$0"; PATH="$1:$PATH"; shift; exec "$@"',
        join(root, "handed-on"),
        join(root, "witness"),
      ]
    },
    environment: MARKED,
  })
  const { server, model } = stage
  await stage.call(
    { name: "bash", input: { command: SEARCH } },
    { name: "bash", input: { command: "set; export -p; cat /proc/1/environ | tr '\\0' '\\n'" } },
    { name: "convert", input: { path: "a.ps", to: "pdf" } },
    { name: "convert", input: { path: "a.bmp", to: "png" } },
    { name: "convert", input: { path: "a.eml", to: "text" } },
    { name: "grep", input: { pattern: "marked|words" } },
    { name: "extract", input: { path: "a.csv" } },
  )
  const path = join(server.folders.workspace, ".agents", "commands", "look.md")
  expect((await server.post("/v1/trust", { path })).status).toBe(200)
  const session = await server.session(ANTHROPIC)
  const source = "/look"
  const sent = await server.post(`/v1/sessions/${session}/messages`, {
    source,
    approved_shell: [SEARCH],
  })
  expect(sent.status, sent.text).toBe(201)
  await server.settled(session)
  expect(unwrapped(model.texts.at(-1) ?? "")).toContain("HOME=/tmp")
  const log = await readFile(join(server.folders.root, "log"), "utf8")
  expect(log.split("STARTED").length, "sandboxes that were started").toBeGreaterThan(4)
  const texts = [...model.texts, JSON.stringify(await server.messages(session)), server.log]
  const kept = await Promise.all(
    (await filesBelow(server.folders.data)).map((file) => readFile(file, "latin1")),
  )
  return [
    ...texts,
    ...texts.map(unwrapped),
    ...kept,
    ...kept.map(unwrapped),
    log,
    log.includes(" 40 -> /") && !/ 40 -> \/dev\/null/.test(log) ? MARK : "",
  ]
    .flatMap((text) => text.split("\n"))
    .filter((line) => line.includes(MARK))
}

const walls = missing("bubblewrap") ? "there is no bubblewrap" : undefined
const NOBODY = 65_534
/** Whether an ordinary user could start the product on this machine. */
function canBecome(user: number): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    const words = [`--reuid=${user}`, `--regid=${user}`, "--clear-groups", "test", "-r"]
    execFileSync("setpriv", [...words, join(CHECKOUT, "package.json")], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

describe("a program of a familiar name", () => {
  it("[SBX-005] is asked who it is before it gets a file, and the doctor tells", async () => {
    const folders = await makeFolders({
      "workspace/a.bmp": Buffer.concat([Buffer.from("BM"), Buffer.alloc(56)]),
      "programs/convert": "#!/bin/sh\necho I convert currencies. See also ImageMagick.\n",
      "programs/tesseract": "#!/bin/sh\necho I am a hypercube\n",
    })
    const programs = join(folders.root, "programs")
    for (const name of await readdir(programs)) await chmod(join(programs, name), 0o755)
    const PATH = `${programs}:/usr/bin:/bin`
    const environment = { PATH }
    const converted = await run(folders, ["convert", "a.bmp", "--to", "png"], { environment })
    if (existsSync("/usr/bin/convert")) expect(converted.error).not.toContain("programs/convert")
    else
      expect(converted.error).toMatch(walls ? /bubblewrap/ : /programs\/convert is another program/)
    const { out } = await run(folders, ["doctor", "--json"], { environment })
    if (!existsSync("/usr/bin/tesseract"))
      expect(out).toMatch(/programs\/tesseract is another program/)
  }, 60_000)
})

describe.skipIf(walls !== undefined)("what runs behind walls", () => {
  it("[SBX-001] (F1, F16) holds no variable and no descriptor of the server, whatever kind it is", {
    timeout: 120_000,
  }, async () => {
    expect(Object.keys(MARKED)).toHaveLength(40)
    expect(await runEverything()).toEqual([])
  })

  it.skipIf(!canBecome(NOBODY))(
    "[SBX-001] (F1, F16) holds none when an ordinary user runs the server",
    { timeout: 120_000 },
    async () => {
      expect(await runEverything(NOBODY)).toEqual([])
    },
  )

  it("[SBX-002] (F12) cannot fill the machine's memory, by its devices or by many processes", {
    timeout: 120_000,
  }, async () => {
    const { bash } = await openStage()
    const filled = await bash(
      "dd if=/dev/zero of=/dev/fill bs=1M count=300 2>&1; dd if=/dev/zero of=/dev/shm/fill bs=1M count=300 2>&1 | tail -1; df -k /dev/shm | tail -1",
    )
    expect(filled).toMatch(/\/dev\/fill.*Read-only/)
    expect(filled).not.toMatch(/31\d{7} bytes/)
    const eater = "perl -e 'my $x = \"a\" x 500_000_000; sleep 60' &"
    const ended = await bash(`${eater.repeat(6)} wait; echo all-of-them-ran`)
    expect(ended).toMatch(/took more than \d+ bytes of memory together/)
    expect(ended).not.toContain("all-of-them-ran")
  })

  it("[SBX-003] (F4) changes nothing that other programs obey, by renaming, copying or creating; and commits", {
    timeout: 120_000,
  }, async () => {
    const { bash, call, server } = await openStage({
      files: {
        "workspace/a.txt": "one",
        "workspace/.idea/x.xml": "<x/>",
        "workspace/nested/deep/.vscode/tasks.json": "{}",
      },
      prepare: (workspace) => {
        git(workspace, "init", "-q")
        git(workspace, "config", "user.name", "a")
        git(workspace, "config", "user.email", "a@b")
        git(workspace, "add", "a.txt")
        git(workspace, "commit", "-qm", "one")
        git(workspace, "init", "-q", "nested")
      },
    })
    const { workspace, root } = server.folders
    const before = await readFile(join(workspace, ".git", "config"), "utf8")
    const hook = `#!/bin/sh\necho PWNED > ${root}/pwned\n`
    await bash(
      [
        "mv .git .git-old; cp -r .git-old .git",
        "cp -r .git .git-copy; mv .git .gone; mv .git-copy .git",
        `for g in .git nested/.git; do printf '${hook.replaceAll("\n", "\\n")}' > $g/hooks/pre-commit; chmod +x $g/hooks/pre-commit; echo '[core] fsmonitor = ./evil' >> $g/config; git --git-dir=$g config core.fsmonitor ./evil; done`,
        "mkdir -p evil/hooks; cp .git/config evil/; echo ../evil > .git/commondir; echo ./evil > .git/commondir",
        "mv nested moved; cp -r moved nested; echo evil > nested/.git/hooks/pre-commit; echo evil > nested/deep/.vscode/tasks.json",
        "rm -rf .idea .vscode .envrc .agents; mv .idea .idea2",
        "echo x > .envrc; ln -s a.txt .envrc; mkdir .vscode .agents .claude; echo {} > .vscode/tasks.json; echo {} > .idea/y.xml; echo x > .agents/x; echo x > .mcp.json; echo x > .claude/settings.json",
        "mkdir new; cd new; git init -q .; echo evil > .git/hooks/post-checkout; echo x > .envrc; cd ..",
        "echo two > a.txt; git commit -qam two",
      ].join("\n"),
    )
    expect(git(workspace, "log", "--format=%s").trim().split("\n")).toEqual(["two", "one"])
    expect(git(workspace, "status", "--short")).not.toMatch(/a\.txt/)
    expect(git(workspace, "fsck")).toBe("")
    git(workspace, "commit", "-q", "--allow-empty", "-m", "three")
    expect(existsSync(join(root, "pwned"))).toBe(false)
    expect(await readFile(join(workspace, ".git", "config"), "utf8")).toBe(before)
    for (const name of [
      ".git/commondir",
      ".vscode",
      ".envrc",
      ".agents",
      ".claude",
      ".mcp.json",
      ".idea2",
      "new/.git",
      "new/.envrc",
      "nested/.git",
      "nested/deep/.vscode",
    ])
      expect(existsSync(join(workspace, name)), name).toBe(false)
    expect(await readdir(join(workspace, ".idea"))).toEqual(["x.xml"])
    // The file tools keep to the same list: what they would do unasked waits for a person.
    const session = await server.session(ANTHROPIC, { agent: "free" })
    void call({ name: "write", input: { path: ".vscode/tasks.json", content: "{}" } }).catch(
      () => undefined,
    )
    await expect
      .poll(async () => JSON.stringify((await server.get("/v1/sessions?limit=10")).json), {
        timeout: 30_000,
      })
      .toMatch(/wait/)
    expect(session).toBeTruthy()
    expect(existsSync(join(workspace, ".vscode"))).toBe(false)
  })

  it("[SBX-004] (F13) reads nothing that the deny rules name: in ignored folders, out of git, by taking a mask away", {
    timeout: 120_000,
  }, async () => {
    const { bash, model, server } = await openStage({
      files: {
        "workspace/.gitignore": "secrets/\n",
        "workspace/secrets/.env": "A=deniedword-ignored\n",
        "workspace/secrets/id_rsa": "deniedword-key\n",
        "workspace/secrets/notes.txt": "a note that may be seen\n",
        "workspace/.env": "A=deniedword-first\n",
        "workspace/a.txt": "alpha\n",
        "workspace/.agents/commands/peek.md":
          "---\ndescription: x\n---\n!`cat .env secrets/.env | base64 -w0`\n",
      },
      prepare: (workspace) => {
        git(workspace, "init", "-q")
        git(workspace, "add", "-f", ".env", "a.txt")
        git(workspace, "commit", "-qm", "one")
        execFileSync("sh", ["-c", "echo A=deniedword-second > .env"], { cwd: workspace })
        git(workspace, "commit", "-qam", "two")
        git(workspace, "gc", "-q")
        execFileSync("sh", ["-c", "echo A=deniedword-third > .env"], { cwd: workspace })
        git(workspace, "commit", "-qam", "three")
        execFileSync("sh", ["-c", "echo A=deniedword-staged > .env"], { cwd: workspace })
        git(workspace, "add", ".env")
        git(workspace, "reset", "-q")
      },
    })
    const reads = [
      "cat .env secrets/.env secrets/id_rsa; umount .env secrets/.env",
      "git show HEAD:.env HEAD~1:.env HEAD~2:.env; git log -p; git archive HEAD",
      "git cat-file --batch-all-objects --batch; git --no-replace-objects cat-file blob HEAD:.env; git stash show -p; git fsck --lost-found; git grep -h A= $(git rev-list --all)",
      "for f in .git/objects/??/*; do perl -MCompress::Zlib -e 'local $/; open F, shift; print uncompress(<F>)' $f; done",
      "cat .git/objects/pack/*",
    ]
    const shown = await bash(`(${reads.join("; ")}) 2>/dev/null | base64 -w0`)
    const plain = await bash("cat secrets/notes.txt; git log --format=%s; git show HEAD:a.txt")
    expect(plain).toContain("a note that may be seen")
    expect(plain).toContain("three")
    expect(plain).toContain("alpha")
    expect(unwrapped(shown)).not.toContain("deniedword")
    const path = join(server.folders.workspace, ".agents", "commands", "peek.md")
    await server.post("/v1/trust", { path })
    const session = await server.session(ANTHROPIC)
    await server.post(`/v1/sessions/${session}/messages`, {
      source: "/peek",
      approved_shell: ["cat .env secrets/.env | base64 -w0"],
    })
    await server.settled(session)
    const all = model.texts.join("\n")
    expect(
      all +
        (all.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? [])
          .map((run) => Buffer.from(run, "base64").toString("latin1"))
          .join("\n"),
    ).not.toContain("deniedword")
    expect(git(server.folders.workspace, "fsck", "--no-dangling")).toBe("")
    expect((await stat(join(server.folders.workspace, ".env"))).size).toBe(20)
  })
})
