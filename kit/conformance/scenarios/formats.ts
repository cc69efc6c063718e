import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { called, failed, given } from "../calls.ts"
import type { Kit } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** The files that come with the kit. */
const FILES = fileURLToPath(new URL("../../../conformance/files", import.meta.url))

/** What is made of files that no model reads. Programs may be missing on a machine: then a refusal
 *  that names what to install is as good. */
export const formatScenarios: readonly Scenario[] = [
  {
    title: "documents and pictures are converted",
    rules: ["BIN-010", "BIN-013", "BIN-014", "BIN-015"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const id = await kit.session()
      for (const name of ["two-pages.pdf", "letter.docx", "note.odt", "red.psd", "frame.fig"])
        await brought(kit, name)
      const text = (name: string) => ({
        name: "convert",
        input: { path: `formats/${name}`, to: "text" },
      })
      const picture = (name: string) => ({
        name: "convert",
        input: { path: `formats/${name}`, to: "png" },
      })
      const [pdf, pages, docx, odt, psd, flat, fig] = await called(
        kit,
        id,
        text("two-pages.pdf"),
        picture("two-pages.pdf"),
        text("letter.docx"),
        text("note.odt"),
        text("red.psd"),
        picture("red.psd"),
        text("frame.fig"),
      )
      see.contains("BIN-010", "the text of its pages", given(pdf), "World")
      see.contains("BIN-010", "pictures of them", given(pages), ".png")
      const [some] = await called(kit, id, {
        name: "convert",
        input: { path: "formats/two-pages.pdf", to: "text", fragment: "page=2" },
      })
      see.contains("BIN-010", "some pages", given(some), "World")
      see.lacks("BIN-010", "and no others", given(some), "Hello")
      see.contains("BIN-013", "the text of a docx", given(docx), "Dear reader")
      see.holds("BIN-013", "the text of an odt", !failed(odt) && given(odt).length > 20, odt)
      see.contains("BIN-014", "its layers", given(psd), "layers")
      see.contains("BIN-014", "flattened", given(flat), ".png")
      see.contains("BIN-015", "the tree of its nodes", given(fig), "Login")
    },
  },
  {
    title: "recordings are converted",
    rules: ["BIN-016", "BIN-017", "BIN-040", "BIN-004"],
    needs: ["model", "folder"],
    async live(kit, see) {
      const id = await kit.session()
      for (const name of ["tone.wav", "film.mp4"]) await brought(kit, name)
      const [sound, film] = await called(
        kit,
        id,
        { name: "convert", input: { path: "formats/tone.wav", to: "text" } },
        { name: "convert", input: { path: "formats/film.mp4", to: "png" } },
      )
      see.contains("BIN-017", "its facts", given(sound), "8000 Hz")
      const named = failed(film) && /install/i.test(given(film))
      see.holds(
        "BIN-016",
        "pictures, or what to install",
        named || given(film).includes(".png"),
        film,
      )
      const [foul] = await called(kit, id, {
        name: "convert",
        input: { path: "formats/film.mp4", to: "png", fragment: "t=1;touch x,2" },
      })
      see.holds("BIN-040", "words where numbers belong", failed(foul), foul)
      const { parts } = (await kit.turn(id, { source: "@formats/film.mp4" })).sent.message ?? {}
      const seen = kit.model.heard.at(-1)?.newest ?? ""
      see.holds("BIN-004", "a way is shown", /skill|bash|shell|convert/.test(seen), [parts, seen])
    },
  },
]

async function brought(kit: Kit, name: string) {
  await kit.file(`formats/${name}`, await readFile(join(FILES, name)))
}
