// Small real files of every format, written here so that each byte of them is known.

import { type RepeatedEntry, type ZipEntry, zipOf } from "./zip.ts"

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
const SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const DRAW = "http://schemas.openxmlformats.org/drawingml/2006/main"
const SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"

type Link = readonly [id: string, type: string, target: string, outside?: true]

function links(all: readonly Link[]): string {
  const list = all.map(
    ([id, type, target, outside]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${outside ? ' TargetMode="External"' : ""}/>`,
  )
  return `${XML}<Relationships xmlns="${RELATIONSHIPS}">${list.join("")}</Relationships>`
}

function contentTypes(parts: readonly (readonly [string, string])[]): ZipEntry {
  const overrides = parts.map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  )
  const data = `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join("")}</Types>`
  return { name: "[Content_Types].xml", data }
}

/** A Word document with this body. */
export function docx(body: string, more: readonly ZipEntry[] = []): Buffer {
  return wordOf({ name: DOCUMENT, data: `${DOCUMENT_START}${body}${DOCUMENT_END}` }, more)
}

/** A Word document that is this many times as long. */
export function repeatedDocx(piece: string, times: number): Buffer {
  return wordOf({ name: DOCUMENT, start: DOCUMENT_START, piece, times, end: DOCUMENT_END })
}

const DOCUMENT = "word/document.xml"
const DOCUMENT_START = `${XML}<w:document xmlns:w="${WORD}" xmlns:r="${OFFICE}"><w:body>`
const DOCUMENT_END = "</w:body></w:document>"

function wordOf(document: ZipEntry | RepeatedEntry, more: readonly ZipEntry[] = []): Buffer {
  return zipOf([
    contentTypes([["word/document.xml", "wordprocessingml.document.main"]]),
    { name: "_rels/.rels", data: links([["r1", "officeDocument", "word/document.xml"]]) },
    {
      name: "word/_rels/document.xml.rels",
      data: links([
        ["r1", "styles", "styles.xml"],
        ["r2", "numbering", "numbering.xml"],
        ["r3", "footnotes", "footnotes.xml"],
        ["r4", "hyperlink", "https://example.org/", true],
      ]),
    },
    document,
    ...more,
  ])
}

export function paragraph(text: string, properties = ""): string {
  const about = properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`
  return `<w:p>${about}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

/** With a heading in German, both kinds of lists, a table, a link, a footnote and a deletion. */
export function wholeDocx(): Buffer {
  const item = (list: number, depth: number) =>
    `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${list}"/></w:numPr>`
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
  const body = [
    paragraph("Bericht", '<w:pStyle w:val="berschrift1"/>'),
    paragraph("Umsätze &amp; Kosten"),
    paragraph("Milch", item(1, 0)),
    paragraph("fettarm", item(1, 1)),
    paragraph("erstens", item(2, 0)),
    paragraph("zweitens", item(2, 0)),
    `<w:tbl><w:tr>${cell("Quartal")}${cell("Betrag")}</w:tr><w:tr>${cell("Q3")}${cell("a|b")}</w:tr></w:tbl>`,
    '<w:p><w:hyperlink r:id="r4"><w:r><w:t>hier</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>weg</w:delText></w:r></w:del></w:p>',
  ]
  return docx(body.join(""), [
    {
      name: "word/styles.xml",
      data: `${XML}<w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    {
      name: "word/numbering.xml",
      data: `${XML}<w:numbering xmlns:w="${WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
    },
    {
      name: "word/footnotes.xml",
      data: `${XML}<w:footnotes xmlns:w="${WORD}"><w:footnote w:id="2">${paragraph("Quelle: Amt")}</w:footnote></w:footnotes>`,
    },
  ])
}

/** Two sheets: a date, a shared and an inline text, a truth, a formula with and without a value. */
export function xlsx(): Buffer {
  const sheet = (rows: string) =>
    `${XML}<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData></worksheet>`
  return zipOf([
    contentTypes([
      ["xl/workbook.xml", "spreadsheetml.sheet.main"],
      ["xl/worksheets/sheet1.xml", "spreadsheetml.worksheet"],
      ["xl/worksheets/sheet2.xml", "spreadsheetml.worksheet"],
    ]),
    { name: "_rels/.rels", data: links([["r1", "officeDocument", "xl/workbook.xml"]]) },
    {
      name: "xl/_rels/workbook.xml.rels",
      data: links([
        ["r1", "worksheet", "worksheets/sheet1.xml"],
        ["r2", "worksheet", "worksheets/sheet2.xml"],
        ["r3", "sharedStrings", "sharedStrings.xml"],
        ["r4", "styles", "styles.xml"],
      ]),
    },
    {
      name: "xl/workbook.xml",
      data: `${XML}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Übersicht" sheetId="1" r:id="r1"/><sheet name="Q3" sheetId="2" r:id="r2"/></sheets></workbook>`,
    },
    {
      name: "xl/sharedStrings.xml",
      data: `${XML}<sst xmlns="${SHEET}"><si><t>Name</t></si><si><r><t>Ada</t></r><r><t> L.</t></r></si></sst>`,
    },
    {
      name: "xl/styles.xml",
      data: `${XML}<styleSheet xmlns="${SHEET}"><numFmts><numFmt numFmtId="164" formatCode="0.00&quot;d&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    },
    {
      name: "xl/worksheets/sheet1.xml",
      data: sheet(
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Datum</t></is></c></row><row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" t="b"><v>1</v></c><c r="C3" s="1"><v>45000</v></c><c r="D3" s="2"><v>1.5</v></c></row>',
      ),
    },
    {
      name: "xl/worksheets/sheet2.xml",
      data: sheet(
        '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="C1"><f>A1+B1</f><v>3</v></c></row><row r="2"><c r="A2"><v>4</v></c><c r="B2"><v>5</v></c><c r="C2"><f>A2+B2</f></c></row>',
      ),
    },
  ])
}

/** Slides with a title, points, a table, notes and a number that nobody reads. */
export function pptx(count = 3): Buffer {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const shape = (type: string, body: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${body}</p:txBody></p:sp>`
  const line = (text: string, level = 0) =>
    `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`
  const slide = (name: string, shapes: string) =>
    `${XML}<p:${name} xmlns:p="${SLIDE}" xmlns:a="${DRAW}"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${name}>`
  return zipOf([
    contentTypes([["ppt/presentation.xml", "presentationml.presentation.main"]]),
    { name: "_rels/.rels", data: links([["r1", "officeDocument", "ppt/presentation.xml"]]) },
    {
      name: "ppt/presentation.xml",
      data: `${XML}<p:presentation xmlns:p="${SLIDE}" xmlns:r="${OFFICE}"><p:sldIdLst>${numbers.map((n) => `<p:sldId id="${255 + n}" r:id="s${n}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    },
    {
      name: "ppt/_rels/presentation.xml.rels",
      data: links(numbers.map((n) => [`s${n}`, "slide", `slides/slide${n}.xml`])),
    },
    ...numbers.flatMap((n) => [
      {
        name: `ppt/slides/slide${n}.xml`,
        data: slide(
          "sld",
          `${shape("title", line(`Title ${n}`))}${shape("body", `${line("point")}${line("deeper", 1)}`)}${shape("sldNum", line("99"))}`,
        ),
      },
      {
        name: `ppt/slides/_rels/slide${n}.xml.rels`,
        data: links([["n", "notesSlide", `../notesSlides/notesSlide${n}.xml`]]),
      },
      {
        name: `ppt/notesSlides/notesSlide${n}.xml`,
        data: slide("notes", shape("body", line(`say ${n}`))),
      },
    ]),
  ])
}

type OpenKind = "text" | "presentation" | "spreadsheet"

/** An OpenDocument file: the type comes first, as it must. */
export function openDocument(kind: OpenKind, body: string): Buffer {
  const names = [
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"',
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"',
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"',
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
  ].join(" ")
  return zipOf([
    { name: "mimetype", data: `application/vnd.oasis.opendocument.${kind}` },
    {
      name: "content.xml",
      data: `${XML}<office:document-content ${names} office:version="1.3"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    {
      name: "META-INF/manifest.xml",
      data: `${XML}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.${kind}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    },
  ])
}

export function odt(): Buffer {
  return openDocument(
    "text",
    '<text:h text:outline-level="2">Plan</text:h><text:p>one<text:s text:c="2"/>two<text:tab/>three</text:p><text:list><text:list-item><text:p>milk</text:p><text:list><text:list-item><text:p>fat</text:p></text:list-item></text:list></text:list-item></text:list><table:table table:name="T"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>',
  )
}

export function odp(): Buffer {
  const page = (n: number) =>
    `<draw:page draw:name="page${n}"><draw:frame><draw:text-box><text:p>slide ${n}</text:p></draw:text-box></draw:frame></draw:page>`
  return openDocument("presentation", [1, 2, 3].map(page).join(""))
}

export function ods(): Buffer {
  const cell = (text: string, repeated = 1) =>
    `<table:table-cell table:number-columns-repeated="${repeated}"><text:p>${text}</text:p></table:table-cell>`
  const empty = '<table:table-cell table:number-columns-repeated="16380"/>'
  return openDocument(
    "spreadsheet",
    `<table:table table:name="Erste"><table:table-row>${cell("x")}${cell("y", 2)}${empty}</table:table-row><table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row><table:table-row>${cell("last")}</table:table-row></table:table><table:table table:name="Q3"><table:table-row>${cell("1")}${cell("2")}</table:table-row><table:table-row>${cell("3")}${cell("4")}</table:table-row></table:table>`,
  )
}

/** A PDF with a line of text on each page; an empty line makes a page without text. */
export function pdf(lines: readonly string[]): Buffer {
  const objects: string[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, at) => `${4 + at * 2} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ]
  for (const [at, line] of lines.entries()) {
    const drawn =
      line === "" ? "0 0 0 rg 10 10 50 50 re f" : `BT /F1 24 Tf 20 100 Td (${line}) Tj ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
      `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    )
  }
  let file = "%PDF-1.4\n"
  const offsets = objects.map((body, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, "latin1")
}

/** A Photoshop file of one flat colour, without layers. */
export function psd(width: number, height: number): Buffer {
  const head = Buffer.alloc(26)
  head.write("8BPS", 0, "latin1")
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(3, 12)
  head.writeUInt32BE(height, 14)
  head.writeUInt32BE(width, 18)
  head.writeUInt16BE(8, 22)
  head.writeUInt16BE(3, 24)
  const sections = Buffer.alloc(12)
  const pixels = Math.min(width * height, 1_000_000)
  const planes = [200, 30, 60].map((value) => Buffer.alloc(pixels, value))
  return Buffer.concat([head, sections, Buffer.alloc(2), ...planes])
}

/** A tone, then silence. */
export function wav(seconds: number, rate = 8000): Buffer {
  const samples = Math.floor(seconds * rate)
  const data = Buffer.alloc(samples * 2)
  for (let at = 0; at < samples / 2; at++)
    data.writeInt16LE(Math.round(Math.sin((at / rate) * 2 * Math.PI * 440) * 20_000), at * 2)
  const head = Buffer.alloc(44)
  head.write("RIFF", 0, "latin1")
  head.writeUInt32LE(36 + data.length, 4)
  head.write("WAVEfmt ", 8, "latin1")
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36, "latin1")
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

export function epub(chapters: readonly string[]): Buffer {
  const items = chapters.map(
    (_, at) => `<item id="c${at}" href="c%20${at}.xhtml" media-type="application/xhtml+xml"/>`,
  )
  const order = chapters.map((_, at) => `<itemref idref="c${at}"/>`)
  return zipOf([
    { name: "mimetype", data: "application/epub+zip" },
    {
      name: "META-INF/container.xml",
      data: `${XML}<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    },
    {
      name: "OEBPS/book.opf",
      data: `${XML}<package xmlns:dc="d"><metadata><dc:title>A Book</dc:title></metadata><manifest>${items.join("")}</manifest><spine>${order.join("")}</spine></package>`,
    },
    ...chapters.map((data, at) => ({ name: `OEBPS/c ${at}.xhtml`, data })),
  ])
}

/** A photograph of 64 × 48 pixels, from red above to blue below. Nobody here writes this format. */
export function heic(): Buffer {
  return Buffer.from(HEIC.join(""), "base64")
}

const HEIC = [
  "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAaptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAA",
  "AAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAAEAAMAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHOAAEAAAAA",
  "AAAAQAACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQ",
  "IAAAAAAgAAZ3JpZAAAAADVaXBycAAAALNpcGNvAAAAc2h2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEM",
  "Af//A3AAAAMAkAAAAwAAAwAeugJAIQABACdCAQEDcAAAAwCQAAADAAADAB6gIIEFlurkprmwIAAAAwAgAAADACEiAA",
  "EABkQBwXPAiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAQAAAADAAAAAQcGl4aQAAAAADCAgIAAAA",
  "GmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAAEhtZGF0AAAAPCgBrxOA9W",
  "ciYbd0/LwROw/gaKCDI5FrmiAooVo6pYHddnveVzzIS6m2RFqTCPdH3kxKUZfzH7MaHPOF4A==",
]
