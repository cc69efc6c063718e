import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { Markdown } from "../../apps/web/thread/markdown-view.tsx"

describe("an answer on the page", () => {
  function draws(text: string, expected: string) {
    const html = renderToStaticMarkup(createElement(Markdown, { text }))
    expect(html).toBe(`<div class="prose">${expected}</div>`)
  }

  it("[PAG-009] shows raw HTML as text", () => {
    draws("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>")
    draws(
      "<script>alert(1)</script>",
      '<p class="whitespace-pre-wrap">&lt;script&gt;alert(1)&lt;/script&gt;</p>',
    )
  })
  it("[PAG-009] leaves a link that must not be opened as it was written", () => {
    draws("[a *b*](javascript:alert(1))", "<p>[a <em>b</em>](javascript:alert(1))</p>")
    draws("![a](data:image/png,x)", "<p>![a](data:image/png,x)</p>")
  })
  it("[PAG-009] loads no picture from elsewhere", () =>
    draws(
      '![a](https://x.y/spy.png "t")',
      '<p><a href="https://x.y/spy.png" title="t" target="_blank" rel="noopener noreferrer">a</a></p>',
    ))
  it("puts headings under those of the page, without gaps", () =>
    draws(
      "# a\n\n#### b\n\n> # c",
      '<h3 class="font-semibold text-[1.3em]!">a</h3><h4 class="font-semibold ">b</h4>' +
        '<blockquote><p class="font-semibold text-[1.3em]!">c</p></blockquote>',
    ))
  it("draws a definition nowhere", () => draws("a\n\n[b]: /c", "<p>a</p>"))
})
