import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { readS3Address } from "../../packages/files/blobs/s3-address.ts"
import { readLimits } from "../../packages/server/limits.ts"
import { program } from "../../apps/cli/program.ts"

const deploy = join(import.meta.dirname, "../../deploy")

async function read(file: string): Promise<string> {
  return readFile(join(deploy, file), "utf8")
}

/** Every option that a command line of ours names is one that `serve` has. */
function unknownOptions(words: readonly string[]): string[] {
  const serve = program().commands.find((command) => command.name() === "serve")
  const known = serve?.options.map(({ long }) => long) ?? []
  return words.filter((word) => word.startsWith("--") && !known.includes(word))
}

describe("how it is deployed", () => {
  it("[OPS-05] composes two servers, a database and a bucket, each with all it needs", async () => {
    const { services, volumes } = parse(await read("compose.yaml"), { merge: true })
    expect(Object.keys(services).toSorted()).toEqual(["bucket", "one", "postgres", "s3", "two"])
    for (const name of ["one", "two"]) {
      const { command, environment, depends_on, read_only, cap_drop } = services[name]
      expect(command.slice(0, 3)).toEqual(["serve", "--listen", "0.0.0.0"])
      expect(unknownOptions(command)).toEqual([])
      expect(environment.COMPOSITOR_SERVER_TOKEN).toMatch(/^\$\{COMPOSITOR_SERVER_TOKEN:\?/)
      const keys = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "y" }
      expect(readS3Address(environment.COMPOSITOR_BLOBS, keys)).toMatchObject({
        bucket: "compositor",
        prefix: "blobs",
        in_path: true,
      })
      expect(Object.keys(depends_on)).toEqual(["postgres", "bucket"])
      expect([read_only, cap_drop]).toEqual([true, ["ALL"]])
    }
    const used = Object.values(services as Record<string, { volumes?: string[] }>)
      .flatMap((service) => service.volumes ?? [])
      .map((volume) => volume.split(":")[0] ?? "")
    expect(new Set(used)).toEqual(new Set(Object.keys(volumes)))
    const asked = [...(await read("compose.yaml")).matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    const offered = [...(await read("example.env")).matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect(new Set(asked)).toEqual(new Set(offered))
  })

  it("[OPS-05] runs on Kubernetes with probes, a budget, and no privilege", async () => {
    const documents = [
      ...parseAllDocuments(await read("kubernetes/compositor.yaml")),
      ...parseAllDocuments(await read("kubernetes/secret.example.yaml")),
    ]
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    const objects = documents.map((document) => document.toJS())
    const byKind = (kind: string) => objects.find((object) => object.kind === kind)
    const { spec } = byKind("Deployment")
    const { containers, volumes, terminationGracePeriodSeconds, securityContext } =
      spec.template.spec
    const [container] = containers
    expect(container.livenessProbe.httpGet.path).toBe("/healthz")
    expect(container.readinessProbe.httpGet.path).toBe("/readyz")
    expect(unknownOptions(container.args)).toEqual([])
    const drain = Number(container.args[container.args.indexOf("--drain") + 1])
    expect(drain).toBeLessThan(terminationGracePeriodSeconds)
    expect([
      securityContext.runAsNonRoot,
      container.securityContext.readOnlyRootFilesystem,
    ]).toEqual([true, true])
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name)
    expect(mounted).toEqual(volumes.map(({ name }: { name: string }) => name))
    const labels = spec.template.metadata.labels
    expect(byKind("Service").spec.selector).toEqual(labels)
    expect(byKind("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels)
    expect(readLimits(byKind("ConfigMap").data.COMPOSITOR_LIMITS)).toHaveProperty(
      "requests_per_second",
    )
    expect(byKind("Secret").stringData.COMPOSITOR_SERVER_TOKEN.length).toBeGreaterThanOrEqual(24)
  })

  it("[OPS-05] is an image whose process is nobody special, and says how it is", async () => {
    const file = await read("Dockerfile")
    const stages = file.split(/^FROM /m)
    expect(stages).toHaveLength(3)
    const last = stages.at(-1) ?? ""
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^HEALTHCHECK .*$/m)
    expect(last).not.toMatch(/COPY (?!--from)/)
    const words = JSON.parse(/^CMD (\[.*\])$/m.exec(last)?.[1] ?? "[]")
    expect(words[0]).toBe("serve")
    expect(unknownOptions(words)).toEqual([])
  })
})
