import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import react from "@vitejs/plugin-react"
import tailwind from "@tailwindcss/vite"

const VERSION = "3.32.2"
// No dependency of ours: they live in a cache of their own, every one of them at the same version.
const PACKAGES = [
  "core",
  "pm",
  "extension-document",
  "extension-paragraph",
  "extension-text",
  "extension-mention",
  "extensions",
  "suggestion",
].map((name) => `@tiptap/${name}@${VERSION}`)
const FLAGS = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]

/** The page with the editors, as one script and one style sheet. */
export async function buildEditors(): Promise<{ script: string; style: string }> {
  const modules = join(installTipTap(), "node_modules")
  const { build } = await import("vite")
  const root = join(import.meta.dirname, "..", "..")
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: join(root, "apps", "web"),
    plugins: [entry(root, modules), react(), tailwind()],
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    build: {
      write: false,
      rolldownOptions: { input: ENTRY, treeshake: { manualPureFunctions: ["z"] } },
    },
  })
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []))
  const script = outputs.find((one) => one.type === "chunk")
  const style = outputs.find((one) => one.type === "asset" && one.fileName.endsWith(".css"))
  if (script?.type !== "chunk" || style?.type !== "asset")
    throw new Error("The page of editors was not built.")
  return { script: script.code, style: String(style.source) }
}

function installTipTap(): string {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
  const cache = join(caches, "compositor-bench", `tiptap-${VERSION}`)
  if (existsSync(join(cache, "node_modules", "@tiptap", "extensions"))) return cache
  mkdirSync(cache, { recursive: true })
  execFileSync("npm", ["install", "--prefix", cache, ...FLAGS, ...PACKAGES], { stdio: "ignore" })
  return cache
}

const ENTRY = "virtual:editors"

function entry(root: string, modules: string) {
  const tiptap = (name: string) =>
    JSON.stringify(join(modules, "@tiptap", name, "dist", "index.js"))
  return {
    name: "editors",
    resolveId: (id: string) => (id === ENTRY ? `\0${ENTRY}` : undefined),
    load: (id: string) =>
      id === `\0${ENTRY}`
        ? `
import ${JSON.stringify(join(root, "apps", "web", "style.css"))}
import { addMount } from ${JSON.stringify(join(root, "test", "web", "editors.tsx"))}
import { Editor } from ${tiptap("core")}
import Document from ${tiptap("extension-document")}
import Paragraph from ${tiptap("extension-paragraph")}
import Text from ${tiptap("extension-text")}
import Mention from ${tiptap("extension-mention")}
import { UndoRedo } from ${tiptap("extensions")}
${TIPTAP}`
        : undefined,
  }
}

/** TipTap as its guide sets it up, with a mention for each chip, the padding that keeps a paragraph
 *  from being shaped again on each key, and a scroller of its own. */
const TIPTAP = String.raw`
const style = document.createElement("style")
style.textContent =
  ".tiptap{white-space:pre-wrap;word-wrap:break-word;outline:none}" +
  ".tiptap p{margin:0}.tiptap .mention{background:#dff0ed;color:#0d6b62;border-radius:6px;padding:1px 5px}"
document.head.append(style)
addMount("tiptap", async (parent, source) => {
  const paragraph = (line) => ({
    type: "paragraph",
    content: line.split(/(@\S+)/).filter(Boolean).map((piece) =>
      piece.startsWith("@")
        ? { type: "mention", attrs: { id: piece.slice(1), label: piece.slice(1) } }
        : { type: "text", text: piece },
    ),
  })
  const editor = new Editor({
    element: parent,
    extensions: [Document, Paragraph, Text, UndoRedo,
      Mention.configure({ HTMLAttributes: { class: "mention" } })],
    content: { type: "doc", content: source.split("\n").map(paragraph) },
  })
  return {
    chips: () => parent.querySelectorAll(".mention").length,
    length: () => editor.state.doc.textContent.length,
    toMiddle: () => {
      const { doc } = editor.state
      let at = 0
      doc.forEach((node, offset, index) => {
        if (index === Math.ceil(doc.childCount / 2) - 1) at = offset + node.nodeSize - 1
      })
      editor.commands.focus()
      editor.commands.setTextSelection(at)
      editor.commands.scrollIntoView()
    },
  }
})
`
