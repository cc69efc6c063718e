import { describe, expect, it } from "vitest"
import { converted, textOf } from "./converting.ts"
import { docx, epub, odp, ods, odt, paragraph, pptx, wholeDocx, xlsx } from "./samples.ts"
import { zipOf } from "./zip.ts"

describe("office files", () => {
  it("[BIN-013] reads a docx with its headings, lists, table, link and footnote", async () => {
    expect(await textOf("a.docx", wholeDocx())).toBe(
      [
        "# Bericht",
        "",
        "Umsätze & Kosten",
        "",
        "- Milch",
        "  - fettarm",
        "1. erstens",
        "2. zweitens",
        "",
        "| Quartal | Betrag |",
        "| --- | --- |",
        "| Q3 | a\\|b |",
        "",
        "hier (https://example.org/)[^2]",
        "",
        "## Footnotes",
        "",
        "Quelle: Amt",
        "",
      ].join("\n"),
    )
  })

  it("reads what another prefix names, and a text box once", async () => {
    const body = `<w:p><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:t>once</w:t></mc:Choice><mc:Fallback><w:t>twice</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`
    expect(await textOf("a.docx", docx(body))).toBe("once\n")
  })

  it("[BIN-013] reads an xlsx: shared and inline texts, dates, truths, formulas", async () => {
    const answer = await converted("a.xlsx", xlsx())
    expect(answer).toEqual({
      type: "text",
      text: [
        "## Sheet: Übersicht",
        "1\tName\t\tDatum",
        "3\tAda L.\tTRUE\t2023-03-15\t1.5",
        "",
        "## Sheet: Q3",
        "1\t1\t2\t3",
        "2\t4\t5\t=A2+B2",
        "",
      ].join("\n"),
      truncated: false,
      note: "Each line begins with its row number. Sheets: Übersicht, Q3.",
    })
  })

  it("[BEY-08] takes some cells of one sheet", async () => {
    const cells = (at: string) => textOf("a.xlsx", xlsx(), { at })
    expect(await cells("sheet=Q3&range=B1:C2")).toBe("## Sheet: Q3\n1\t2\t3\n2\t5\t=A2+B2\n")
    expect(await cells("range=A3:B3")).toBe("## Sheet: Übersicht\n3\tAda L.\tTRUE\n")
    expect(await cells("sheet=Q9")).toBe("[a.xlsx has no sheet Q9; it has Übersicht, Q3.]")
  })

  it("[BIN-013] reads a pptx slide by slide, with notes and without page numbers", async () => {
    expect(await textOf("a.pptx", pptx(1))).toBe(
      "## Slide 1\n\n### Title 1\n\npoint\n\n- deeper\n\nNotes:\nsay 1\n",
    )
  })

  it("[BEY-08] takes some slides", async () => {
    const answer = await converted("a.pptx", pptx(5), { at: "page=4-9" })
    expect(answer).toMatchObject({ type: "text", note: "Slides 4-5 of 5." })
    expect(answer.type === "text" && answer.text).toMatch(/Title 4[^]*Title 5/)
    expect(await textOf("a.pptx", pptx(2), { at: "page=3" })).toBe(
      "[a.pptx has 2 slides, and no slide 3.]",
    )
  })

  it("[BIN-013] reads odt, odp and ods", async () => {
    expect(await textOf("a.odt", odt())).toBe(
      "## Plan\n\none  two\tthree\n\n- milk\n  - fat\n\n| a | b |\n| --- | --- |\n",
    )
    expect(await textOf("a.odp", odp(), { at: "page=2" })).toBe("## Slide 2: page2\n\nslide 2\n")
    expect(await textOf("a.ods", ods())).toBe(
      "## Sheet: Erste\n1\tx\ty\ty\n1048002\tlast\n\n## Sheet: Q3\n1\t1\t2\n2\t3\t4\n",
    )
    expect(await textOf("a.ods", ods(), { at: "sheet=q3&range=B2" })).toBe("## Sheet: Q3\n2\t4\n")
  })

  it("cuts a long text at the limit and says so", async () => {
    const long = docx(paragraph("word ".repeat(100)).repeat(10))
    expect(await converted("a.docx", long, { limits: { text_bytes: 1000 } })).toMatchObject({
      truncated: true,
      note: "The text is cut after 1000 bytes.",
    })
  })
})

describe("text and data", () => {
  it("[BIN-018] gives a csv as it is, with its outline, and some cells of it", async () => {
    const csv = 'name;note\nAda;"x; ""y""\nz"\nBob;\n'
    expect(await converted("a.csv", Buffer.from(csv))).toMatchObject({
      text: csv,
      note: "3 rows, 2 columns: name, note.",
    })
    expect(await textOf("a.csv", csv, { at: "range=B2:B3" })).toBe('2\tx; "y" z\n')
    expect(await textOf("a.tsv", "a\tb\n1\t2\n", { at: "range=B2" })).toBe("2\t2\n")
    expect(await textOf("a.csv", csv, { at: "L2-3" })).toBe('Ada;"x; ""y""\nz"\n')
  })

  it("[BIN-018] gives a large json as its shape", async () => {
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `n${id}` }))
    const json = JSON.stringify({ rows, total: 500 })
    expect(await textOf("a.json", json)).toBe(json)
    const asked = { limits: { text_bytes: 500 } }
    expect(await textOf("a.json", json, asked)).toBe(
      'object\n  rows: array of 500\n    first: object\n      id: 0\n      name: "n0"\n  total: 500\n',
    )
  })

  it("reads a notebook with its outputs, and its pictures", async () => {
    const png = Buffer.from("png").toString("base64")
    const cells = [
      { cell_type: "markdown", source: ["# Hi\n", "there"] },
      {
        cell_type: "code",
        source: "1+1",
        outputs: [
          { output_type: "execute_result", data: { "text/plain": ["2"], "image/png": png } },
          { output_type: "error", ename: "Oops", evalue: "\u001b[31mred\u001b[0m" },
        ],
      },
    ]
    const notebook = Buffer.from(JSON.stringify({ nbformat: 4, cells }))
    expect(await converted("a.ipynb", notebook)).toMatchObject({
      text: "# Hi\nthere\n\n```python\n1+1\n```\n\nOutput:\n```\n2\n```\n\nOutput:\n```\nOops: red\n```\n\n",
      note: "1 pictures are among the outputs; convert it to png for them.",
    })
    expect(await converted("a.ipynb", notebook, { to: "png" })).toMatchObject({
      files: [{ name: "a-1.png", size: 3 }],
    })
  })

  it("finds the encoding of old text", async () => {
    const japanese = "8abf8e9a82f08ae08f5682bd89e282f093c782f182c582a282dc82b78142"
    expect(await textOf("a.txt", Buffer.from(japanese.repeat(4), "hex"))).toMatch(/漢字/)
    expect(await textOf("a.txt", Buffer.from("\ufeffUTF-16", "utf16le"))).toBe("UTF-16")
    const german = Buffer.from("Grüße aus Köln, schöne Straße über den Fluß. ".repeat(5), "latin1")
    expect(await textOf("a.txt", german)).toMatch(/^Grüße aus Köln/)
    expect(await textOf("a.txt", Buffer.from([1, 0, 255, 254, 3, 200]))).toBe(
      "[a.txt is not text.]",
    )
  })

  it("takes lines and bytes of a text", async () => {
    expect(await textOf("a.txt", "one\ntwo\nthree\n", { at: "L2-3" })).toBe("two\nthree\n")
    expect(await textOf("a.txt", "one\ntwo\n", { at: "B0-2" })).toBe("one")
    expect(await textOf("a.txt", "one\n", { at: "L9" })).toBe("[a.txt has 2 lines, and no line 9.]")
  })
})

describe("pages, books and mails", () => {
  it("reads a page as its reader does, and runs nothing", async () => {
    const html = `<!doctype html><title>T &amp; U</title><style>p{}</style><script>document.write("<p>no</p>")</script>
      <h2>Head</h2><p>one <b>two</b>
      <a href="https://example.org/?a=1&amp;b=2">three</a></p><!-- gone --><ul><li>a<ol><li>b</li><li>c</li></ol></li></ul>
      <table><tr><th>x<th>y</tr><tr><td>1</td><td>2</td></tr></table><pre> keep\n   this</pre><img alt="A cat"> 3 < 4`
    expect(await textOf("a.html", html)).toBe(
      [
        "# T & U",
        "",
        "## Head",
        "",
        "one two three (https://example.org/?a=1&b=2)",
        "",
        "- a",
        "  1. b",
        "  2. c",
        "",
        "| x| y|",
        "| --- | --- |",
        "| 1 | 2 |",
        "",
        " keep",
        "   this",
        "",
        "[image: A cat] 3 < 4",
        "",
      ].join("\n"),
    )
  })

  it("reads a page without end in time", async () => {
    for (const piece of ['<a "', "<!--", "<script>", "<p", "&#", "<a href='"])
      expect(await textOf("a.html", piece.repeat(300_000))).not.toMatch(/took longer/)
  })

  it("reads a book in its order", async () => {
    const chapter = (text: string) => `<html><body><h1>${text}</h1></body></html>`
    expect(await textOf("a.epub", epub([chapter("One"), chapter("Two")]))).toBe(
      "# A Book\n# One\n\n# Two\n",
    )
  })

  it("reads a mail: header words, the plain of two alternatives, attachments by name", async () => {
    const mail = [
      "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>",
      "Subject: =?utf-8?B?R3LDvMOfZQ==?=",
      'Content-Type: multipart/mixed; boundary="b1"',
      "",
      "--b1",
      'Content-Type: multipart/alternative; boundary="b2"',
      "",
      "--b2",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "sch=F6n =",
      "lang",
      "--b2",
      "Content-Type: text/html",
      "",
      "<p>other</p>",
      "--b2--",
      "--b1",
      "Content-Type: application/pdf",
      "Content-Disposition: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf",
      "Content-Transfer-Encoding: base64",
      "",
      "JVBERg==",
      "--b1--",
      "",
    ].join("\r\n")
    expect(await textOf("a.eml", mail)).toBe(
      "From: Jürgen <j@example.org>\nSubject: Grüße\n\nschön lang\n\nAttachments:\n- résumé.pdf (application/pdf, 4 bytes)\n",
    )
  })
})

it("[BIN-012] lists what an archive holds", async () => {
  const zip = zipOf([
    { name: "a/b.txt", data: "hello" },
    { name: "c.txt", data: "" },
  ])
  expect(await converted("a.zip", zip)).toMatchObject({
    text: "a/b.txt\t5\nc.txt\t0\n",
    note: "2 entries; take one out by its name.",
  })
})

it("refuses what it does not know, with a sentence", async () => {
  expect(await textOf("a.bin", Buffer.from([0, 1, 2, 3]))).toBe(
    "[Nothing is known of the format of a.bin (application/octet-stream).]",
  )
  expect(await textOf("a.csv", "a,b\n", { to: "pdf" })).toBe(
    "[a.csv is csv; it cannot be made into pdf.]",
  )
  expect(await textOf("a.docx", wholeDocx(), { at: "t=1,2" })).toBe(
    "[a.docx is docx: #t=1,2 names no place in it as text.]",
  )
  expect(await textOf("a.txt", "")).toBe("[a.txt is empty.]")
})
