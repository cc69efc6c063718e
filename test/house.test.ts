import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readHouse } from "../scripts/house.ts"
import { judge, scan } from "../scripts/house-rules.ts"

describe("scan", () => {
  function finds(text: string, ...expected: string[]) {
    const { imports } = scan("message/part.ts", text)
    expect(imports.map(({ line, kind, specifier }) => `${line} ${kind} ${specifier}`)).toEqual(
      expected,
    )
  }

  it("finds every form of import and the line it stands on", () =>
    finds(
      `import a from "./a.ts"
import type { B, C as D } from './b.ts'
import e, {
  type F,
  "a name" as g,
} from "./c.ts"
import * as h from "./d.ts"
import "./e.ts"
export { i } from "./f.ts"
export * from "./g.ts"
export * as j from "./h.ts"
export type { K } from "./i.ts"
const l = await import("./j.ts")
type M = typeof import("./k.ts")
function n(o: import("./l.ts").P) {}
await import(\`./m.ts\`)`,
      "1 static ./a.ts",
      "2 static ./b.ts",
      "6 static ./c.ts",
      "7 static ./d.ts",
      "8 static ./e.ts",
      "9 static ./f.ts",
      "10 static ./g.ts",
      "11 static ./h.ts",
      "12 static ./i.ts",
      "13 dynamic ./j.ts",
      "14 dynamic ./k.ts",
      "15 dynamic ./l.ts",
      "16 dynamic ./m.ts",
    ))
  it("takes two imports on one line for two", () =>
    finds(`import{a}from"./a.ts";import{b}from"./b.ts"`, "1 static ./a.ts", "1 static ./b.ts"))
  it("does not take an export for the next import", () =>
    finds(`export { a }\nimport b from "./b.ts"`, "2 static ./b.ts"))
  it("reads past comments between the words", () =>
    finds(`import /* "./no.ts" */ a // from "./no.ts"\nfrom "./a.ts"`, "2 static ./a.ts"))
  it("sees no import in comments, strings, templates and regular expressions", () =>
    finds(
      `// import "./a.ts"
/* import "./b.ts"
   import "./c.ts" */
const a = 'import "./d.ts"'
const b = \`import "./e.ts" \${c} import "./f.ts"\`
const d = /import "x.ts"/
const e = "\\"; import './g.ts'"`,
    ))
  it("sees the import in a template's hole, and after it", () =>
    finds(
      'const a = `x ${{ b: `${await import("./a.ts")}` }} y`\nimport("./b.ts")',
      "1 dynamic ./a.ts",
      "2 dynamic ./b.ts",
    ))
  it("knows a regular expression from a division", () =>
    finds(
      `const a = b / 2; import("./a.ts"); const c = d / 2
const e = f.replace(/"/g, ""); import("./b.ts"); return /["'\`/]/; import("./c.ts")`,
      "1 dynamic ./a.ts",
      "2 dynamic ./b.ts",
      "2 dynamic ./c.ts",
    ))
  it("reads past the apostrophes and closing tags of JSX", () =>
    finds(
      `const a = <p title="it's">Don't <b>look</b> away<br /></p>
const b = lazy(() => import("./b.tsx"))`,
      "2 dynamic ./b.tsx",
    ))
  it("is not misled by import.meta or a method of that name", () =>
    finds(`import.meta.resolve("./a.ts"); store.import("./b.ts"); reimport("./c.ts")`))
})

describe("judge", () => {
  function says(path: string, text: string, ...expected: string[]) {
    const violations = judge([scan(path, text)])
    expect(violations.map(({ line, message }) => `${line} ${message}`)).toEqual(expected)
  }

  it("[DESIGN-1] allows a look downstairs, into the own folder, and at packages", () =>
    says(
      "packages/engine/turns/turn.ts",
      `import "../store/store.ts"
import "./queue.ts"
import "compositor-core/message/part"
import "zod"
import "node:fs"`,
    ))
  it("[DESIGN-1] catches a look upstairs", () =>
    says(
      "packages/engine/loading/load.ts",
      `import "./lower.ts"\nimport type { Turn } from "../turns/turn.ts"`,
      '2 looks upstairs at engine/turns ("../turns/turn.ts")',
    ))
  it("[DESIGN-1] catches a look upstairs that is dynamic, and at another package", () =>
    says(
      "packages/files/blobs/blobs.ts",
      `await import("compositor-engine/host/host")`,
      '1 looks upstairs at engine/host ("compositor-engine/host/host")',
    ))
  it("[DESIGN-1] catches a look sideways", () =>
    says(
      "packages/engine/loading/load.ts",
      `export * from "../providers/provider.ts"`,
      '1 looks sideways at engine/providers ("../providers/provider.ts")',
    ))
  it("[DESIGN-1] catches a look into another package past its front door", () =>
    says(
      "packages/engine/loading/load.ts",
      `import "../../core/message/part.ts"`,
      '1 looks into core past its front door ("../../core/message/part.ts")',
    ))
  it("[DESIGN-1] catches an unknown folder, at either end", () => {
    says("packages/engine/utils/text.ts", "", "1 is in an unknown folder, engine/utils")
    says("packages/engine/types.ts", "", "1 is in an unknown folder, engine")
    says(
      "packages/engine/loading/load.ts",
      `import "../utils/text.ts"`,
      '1 looks at an unknown folder, engine/utils ("../utils/text.ts")',
    )
  })
  it("[DESIGN-1] catches a look outside the packages", () =>
    says(
      "apps/cli/main.ts",
      `import "../../package.json" with { type: "json" }\nimport "/etc/passwd"`,
      '1 looks outside the packages ("../../package.json")',
      '2 looks outside the packages ("/etc/passwd")',
    ))
  it("[DESIGN-1] keeps a surface in front of the client", () =>
    says(
      "apps/web/page.tsx",
      `import "compositor-client/client"
import "compositor-core/message/part"
import "compositor-engine/store/store"
import("compositor-server/app")
import "compositor-tui/editor"`,
      '3 is a surface and looks behind the client at engine/store ("compositor-engine/store/store")',
      '4 is a surface and looks behind the client at server ("compositor-server/app")',
      '5 looks sideways at tui ("compositor-tui/editor")',
    ))
  it("[DESIGN-1] lets the command line start the server, but not lean on it", () =>
    says(
      "apps/cli/serve.ts",
      `await import("compositor-server/app")\nimport "compositor-server/app"`,
      '2 is a surface and looks behind the client at server ("compositor-server/app")',
    ))
  it("[DESIGN-1] keeps Node out of the packages that a browser uses", () =>
    says(
      "packages/core/compose/parse.ts",
      `import "node:fs"\nimport { join } from "path"`,
      '1 imports "node:fs", but a browser uses core',
      '2 imports "path", but a browser uses core',
    ))
  it("[DESIGN-1] wants files of at most 350 lines outside the page", () => {
    says("packages/engine/loading/lower.ts", "\n".repeat(350))
    says("packages/engine/loading/lower.ts", "\n".repeat(351), "351 has 351 lines, more than 350")
    says("apps/web/page.tsx", "\n".repeat(351))
  })
  it("[DESIGN-1] catches files that need each other to run, and not by their types alone", () => {
    const circle = (back: string) =>
      judge([
        scan("packages/engine/loading/a.ts", `import { b } from "./b.ts"`),
        scan("packages/engine/loading/b.ts", `import { c } from "./c.ts"`),
        scan("packages/engine/loading/c.ts", back),
      ]).map(({ message }) => message)
    expect(circle(`import { a } from "./a.ts"`)).toEqual([
      "needs itself to run, by way of packages/engine/loading/b, packages/engine/loading/c",
    ])
    expect(
      circle(`import { type A, type B } from "./a.ts"\nimport type { C } from "./a.ts"`),
    ).toEqual([])
  })
})

describe("the packages", () => {
  it("[DESIGN-1] have nobody who looks upstairs or sideways, no circle, and no file past 350 lines", () => {
    const files = readHouse(join(import.meta.dirname, ".."))
    expect(files.length).toBeGreaterThan(0)
    expect(judge(files)).toEqual([])
  })
})
