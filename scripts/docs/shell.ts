// What stands around every page of the site: navigation, search by title, light and dark.

import { escape, type Heading } from "./render.ts"

export interface Page {
  /** Where it lies, without an ending: `guide/attach-files`. */
  readonly path: string
  readonly group: string
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

export function shellOf(page: Page, pages: readonly Page[]): string {
  const up = "../".repeat(page.path.split("/").length - 1)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)} · Compositor</title>
<link rel="stylesheet" href="${up}site.css">
<script src="${up}site.js" defer></script>
</head>
<body data-up="${up}">
<a class="skip" href="#content">Skip to content</a>
<header><a class="home" href="${up}index.html">Compositor</a>
<input id="search" type="search" placeholder="Search titles" aria-label="Search titles" aria-controls="found">
<button id="theme" type="button" aria-label="Light or dark">◐</button></header>
<ul id="found" hidden></ul>
<div class="columns">
<nav aria-label="Pages">${navigation(page, pages, up)}</nav>
<main id="content">${page.html}</main>
</div>
</body>
</html>
`
}

function navigation(page: Page, pages: readonly Page[], up: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  return groups
    .map((group) => {
      const links = pages
        .filter((one) => one.group === group)
        .map((one) => {
          const here = one.path === page.path ? ' aria-current="page"' : ""
          return `<li><a href="${up}${one.path}.html"${here}>${escape(one.title)}</a></li>`
        })
      return `<h2>${escape(group)}</h2><ul>${links.join("")}</ul>`
    })
    .join("\n")
}

/** What the search looks through: every title, and where it stands. */
export function searchIndex(pages: readonly Page[]): readonly (readonly [string, string])[] {
  return pages.flatMap(({ path, title, headings }) => [
    [title, `${path}.html`] as const,
    ...headings
      .slice(1)
      .filter(({ level }) => level <= 3)
      .map(({ text, id }) => [`${title} · ${text}`, `${path}.html#${id}`] as const),
  ])
}

export function scriptOf(pages: readonly Page[]): string {
  return `const TITLES = ${JSON.stringify(searchIndex(pages))}
const MOST = 12
const root = document.documentElement
const up = document.body.dataset.up ?? ""
const search = document.getElementById("search")
const found = document.getElementById("found")
const kept = localStorage.getItem("theme")
if (kept) root.dataset.theme = kept

document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
  root.dataset.theme = dark ? "light" : "dark"
  localStorage.setItem("theme", root.dataset.theme)
})

search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const hits = words.length === 0 ? [] : TITLES.filter(([title]) => words.every((word) => title.toLowerCase().includes(word)))
  found.replaceChildren(...hits.slice(0, MOST).map(([title, path]) => {
    const link = Object.assign(document.createElement("a"), { href: up + path, textContent: title })
    const item = document.createElement("li")
    item.append(link)
    return item
  }))
  found.hidden = hits.length === 0
})
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click()
  if (event.key === "Escape") { search.value = ""; found.hidden = true }
})
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus() }
})
`
}

const DARK = `--ink: #e6e6e6; --quiet: #9a9a9a; --paper: #16181c; --line: #2c3036; --tint: #1f2228; --link: #8ab4f8;`

export const STYLE = `:root { --ink: #1c1c1e; --quiet: #66686d; --paper: #fff; --line: #e2e3e6; --tint: #f5f6f7; --link: #1155cc; color-scheme: light dark; }
:root[data-theme="dark"] { ${DARK} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--link); }
header { display: flex; gap: 1rem; align-items: center; padding: .6rem 1.2rem; border-bottom: 1px solid var(--line); position: sticky; top: 0; background: var(--paper); }
.home { font-weight: 600; color: var(--ink); text-decoration: none; }
#search { flex: 1; max-width: 28rem; padding: .35rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--tint); color: var(--ink); font: inherit; }
#theme { border: 0; background: none; color: var(--ink); font-size: 1.2rem; cursor: pointer; }
#found { position: sticky; top: 3.2rem; margin: 0 1.2rem; padding: .4rem 1rem; list-style: none; background: var(--tint); border: 1px solid var(--line); }
.skip { position: absolute; left: -999px; } .skip:focus { left: 1rem; }
.columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; max-width: 76rem; margin: 0 auto; padding: 1.2rem; }
nav h2 { font-size: .8rem; color: var(--quiet); margin: 1.2rem 0 .3rem; font-weight: 600; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .15rem 0; color: var(--ink); text-decoration: none; }
nav a[aria-current] { color: var(--link); font-weight: 600; }
main { min-width: 0; } main img { max-width: 100%; border: 1px solid var(--line); border-radius: 6px; }
.anchor { color: inherit; text-decoration: none; } .anchor:hover { text-decoration: underline; }
pre { background: var(--tint); padding: .8rem 1rem; overflow-x: auto; border-radius: 6px; }
code { font: .9em/1.45 ui-monospace, monospace; background: var(--tint); padding: .05em .3em; border-radius: 4px; } pre code { padding: 0; background: none; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .8rem 0; font-size: .93em; }
th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
@media (max-width: 50rem) { .columns { grid-template-columns: 1fr; } nav { border-bottom: 1px solid var(--line); padding-bottom: 1rem; } }
`
