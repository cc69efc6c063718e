import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { FULL_FILES } from "../../scripts/pack-contents.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const PORT = 4747

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
}

const text = (path: string) => readFileSync(join(ROOT, "deploy", path), "utf8")

const dockerfile = text("Dockerfile").replace(/\\\n\s*/g, " ")
const instructions = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map(([, rest = ""]) => rest)

const compose = parse(text("compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, object>>
}
const services = Object.entries(compose.services)
const servers = services.filter(([, { command }]) => command?.[0] === "serve")

const kubernetes = readdirSync(join(ROOT, "deploy", "kubernetes"))
  .flatMap((name) => parseAllDocuments(text(join("kubernetes", name)), { merge: true }))
  .map((document) => document.toJS() as Record<string, never>)

/** What stands at a path of what is known to be there: `at(pod, "containers", 0, "args")`. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key],
    value,
  )
}

const kindOf = (kind: string) => kubernetes.find((one) => at(one, "kind") === kind)
const pod = at(kindOf("Deployment"), "spec", "template", "spec")
const container = at(pod, "containers", 0)

describe("the image", () => {
  it("[OPS-05] is built of files that are here, and of what `npm run pack` writes", () => {
    const copied = instructions("COPY").map((line) => line.split(" "))
    const own = copied.filter((words) => !words.some((word) => word.startsWith("--from=")))
    const sources = own.flatMap((words) =>
      words.filter((word) => !word.startsWith("--")).slice(0, -1),
    )
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(sources).toContain(".")
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
    expect(dockerfile).toContain("RUN npm run pack")
    expect(scripts.pack).toContain("scripts/pack.ts")
    expect(copied.flat()).toContain("/source/dist/pack/compositor")
  })

  it("[OPS-05] takes nothing of a checkout that the repository does not have", () => {
    const ignored = text("Dockerfile.dockerignore").split("\n")
    for (const name of ["node_modules", "dist", ".git", "deploy/.env"])
      expect(ignored).toContain(name)
  })

  it("[OPS-05] starts a program that is in the package, on the port that it shows", () => {
    const [entry] = instructions("ENTRYPOINT").map((line) => JSON.parse(line) as string[])
    expect(FULL_FILES.map((file) => `/app/${file}`)).toContain(entry?.[0])
    const [command = []] = instructions("CMD").map((line) => JSON.parse(line) as string[])
    expect(command).toContain(String(PORT))
    expect(instructions("EXPOSE")).toEqual([String(PORT)])
    expect(instructions("HEALTHCHECK")[0]).toContain(`127.0.0.1:${PORT}/healthz`)
    expect(instructions("STOPSIGNAL")).toEqual(["SIGTERM"])
  })

  it("[OPS-05] sets what the program knows", () => {
    const names = instructions("ENV").flatMap((line) => line.match(/\w+(?==)/g) ?? [])
    expect(names.filter((name) => name !== "NODE_ENV" && !isKnown(name))).toEqual([])
  })
})

describe("the compose file", () => {
  it("[OPS-05] names each image by a version", () => {
    const images = [...services.map(([, { image }]) => image), ...instructions("FROM")]
    const loose = images.filter((image) => !/^\S+:(?:local|v?\d[\w.-]*)(?: AS \w+)?$/.test(image))
    expect(loose).toEqual([])
  })

  it("[OPS-05] builds from the repository, by a Dockerfile that is here", () => {
    for (const [, { build }] of services.filter(([, { build }]) => build)) {
      const context = join(ROOT, "deploy", build?.context ?? "")
      expect(existsSync(join(context, build?.dockerfile ?? ""))).toBe(true)
      expect(existsSync(join(context, "package.json"))).toBe(true)
    }
  })

  it("[OPS-05] starts servers with variables that they know, on their port", () => {
    expect(servers.map(([name]) => name)).toEqual(["one", "two"])
    for (const [, { environment = {}, ports = [] }] of servers) {
      expect(Object.keys(environment).filter((name) => !isKnown(name))).toEqual([])
      expect(ports.map((port) => port.split(":").at(-1))).toEqual([String(PORT)])
    }
  })

  it("[OPS-05] gives a server longer than its turns", () => {
    for (const [, { command = [], stop_grace_period }] of servers)
      expect(Number.parseInt(stop_grace_period ?? "", 10)).toBeGreaterThan(drainOf(command))
  })

  it("[OPS-05] makes the bucket by a program that is in the image", () => {
    const [program, script = ""] = compose.services["bucket"]?.entrypoint ?? []
    expect(program).toBe("node")
    const copied = instructions("COPY").map((line) => line.split(" ").slice(-2))
    expect(copied).toContainEqual([`/source/deploy/${script}`, `/app/${script}`])
    expect(existsSync(join(ROOT, "deploy", script))).toBe(true)
  })
})

describe("the Kubernetes example", () => {
  it("[OPS-05] asks the server's own routes how it is", () => {
    const probe = (name: string) => at(container, name, "httpGet")
    expect(probe("startupProbe")).toEqual({ path: "/healthz", port: "http" })
    expect(probe("livenessProbe")).toEqual({ path: "/healthz", port: "http" })
    expect(probe("readinessProbe")).toEqual({ path: "/readyz", port: "http" })
    expect(at(container, "ports", 0)).toEqual({ name: "http", containerPort: PORT })
    expect(at(kindOf("Service"), "spec", "ports", 0, "targetPort")).toBe("http")
  })

  it("[OPS-05] gives a server longer than the pause before the signal and its turns", () => {
    const args = at(container, "args") as string[]
    const paused = at(container, "lifecycle", "preStop", "exec", "command") as string[]
    const grace = at(pod, "terminationGracePeriodSeconds")
    expect(paused[0]).toBe("sleep")
    expect(grace).toBeGreaterThan(Number(paused[1]) + drainOf(args))
  })

  it("[OPS-05] gives it variables that it knows", () => {
    const given = [at(kindOf("ConfigMap"), "data"), at(kindOf("Secret"), "stringData")]
    const names = given.flatMap((values) => Object.keys(values as object))
    expect(names.filter((name) => !isKnown(name))).toEqual([])
  })

  it("[OPS-05] refers to what it makes", () => {
    const named = at(container, "envFrom") as Record<string, { readonly name: string }>[]
    const kinds = { configMapRef: "ConfigMap", secretRef: "Secret" } as const
    for (const [reference, { name }] of named.flatMap((one) => Object.entries(one)))
      expect(at(kindOf(kinds[reference as keyof typeof kinds]), "metadata", "name")).toBe(name)
  })
})

const USUAL_DRAIN_SECONDS = 25

function drainOf(command: readonly string[]): number {
  const place = command.indexOf("--drain")
  return place < 0 ? USUAL_DRAIN_SECONDS : Number(command[place + 1])
}

let sources: string | undefined

/** Whether some file of the program reads it from the environment. */
function isKnown(name: string): boolean {
  sources ??= ["packages", "apps"]
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith(".ts"))
    .concat("bin/compositor")
    .map((file) => readFileSync(join(ROOT, file), "utf8"))
    .join("\n")
  return new RegExp(`\\b${name}\\b`).test(sources)
}
