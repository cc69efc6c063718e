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

  it("[DESIGN-1] allows a look downstairs, into the own room, and at packages", () =>
    says(
      "session/turn.ts",
      `import "../store/store.ts"
import "./queue.ts"
import "zod"
import "node:fs"`,
    ))
  it("[DESIGN-1] catches a look upstairs", () =>
    says(
      "lower/load.ts",
      `import "./lower.ts"\nimport type { Turn } from "../session/turn.ts"`,
      '2 looks upstairs at session ("../session/turn.ts")',
    ))
  it("[DESIGN-1] catches a look upstairs that is dynamic", () =>
    says(
      "store/sqlite/open.ts",
      `await import("../../host.ts")`,
      '1 looks upstairs at host ("../../host.ts")',
    ))
  it("[DESIGN-1] catches a look sideways", () =>
    says(
      "lower/load.ts",
      `export * from "../provider/provider.ts"`,
      '1 looks sideways at provider ("../provider/provider.ts")',
    ))
  it("[DESIGN-1] catches an unknown room, at either end", () => {
    says("utils/text.ts", "", "1 is in an unknown room, utils")
    says("types.ts", "", "1 is in an unknown room, types.ts")
    says(
      "lower/load.ts",
      `import "../utils/text.ts"`,
      '1 looks at an unknown room, utils ("../utils/text.ts")',
    )
  })
  it("[DESIGN-1] catches a look outside src", () =>
    says(
      "cli/main.ts",
      `import "../../package.json" with { type: "json" }\nimport "/etc/passwd"`,
      '1 looks outside src ("../../package.json")',
      '2 looks outside src ("/etc/passwd")',
    ))
  it("[DESIGN-1] keeps a surface in front of the client", () =>
    says(
      "web/page.tsx",
      `import "../client/client.ts"
import "../message/part.ts"
import "../store/store.ts"
import("../server/app.ts")
import "../tui/editor.ts"`,
      '3 is a surface and looks behind the client at store ("../store/store.ts")',
      '4 is a surface and looks behind the client at server ("../server/app.ts")',
      '5 looks sideways at tui ("../tui/editor.ts")',
    ))
  it("[DESIGN-1] lets the command line start the server, but not lean on it", () =>
    says(
      "cli/serve.ts",
      `await import("../server/app.ts")\nawait import("../host.ts")\nimport "../server/app.ts"`,
      '3 is a surface and looks behind the client at server ("../server/app.ts")',
    ))
  it("[DESIGN-1] lets index.ts look anywhere, and nobody at it", () => {
    says("index.ts", `export * from "./server/app.ts"\nexport * from "./message/part.ts"`)
    says(
      "server/app.ts",
      `import "../index.ts"`,
      '1 looks at index.ts, which nobody does ("../index.ts")',
    )
  })
  it("[DESIGN-1] keeps Node out of the rooms that a browser uses", () =>
    says(
      "compose/parse.ts",
      `import "node:fs"\nimport { join } from "path"`,
      '1 imports "node:fs", but a browser uses compose',
      '2 imports "path", but a browser uses compose',
    ))
  it("[DESIGN-1] wants files of at most 350 lines outside the page", () => {
    says("lower/lower.ts", "\n".repeat(350))
    says("lower/lower.ts", "\n".repeat(351), "351 has 351 lines, more than 350")
    says("web/page.tsx", "\n".repeat(351))
  })
})

describe("the house", () => {
  it("[DESIGN-1] has nobody who looks upstairs or sideways, and no file past 350 lines", () => {
    const files = readHouse(join(import.meta.dirname, "..", "src"))
    expect(files.length).toBeGreaterThan(0)
    expect(judge(files)).toEqual([])
  })
})
