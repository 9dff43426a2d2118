/** Order and completeness of the guides: the list of the site, the index page and the folder agree. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { guides } from "../../docs/site/guides.mjs"
import { root } from "../../scripts/examples.mjs"

const docs = join(root, "docs")
const read = (file: string) => readFileSync(join(docs, file), "utf8")
const pages = guides.flatMap((group) => group.pages)

it("lists every guide once", () => {
  const files = readdirSync(docs).filter((file) => file.endsWith(".md") && file !== "index.md")
  expect(pages.map(({ file }) => file).sort()).toEqual(files.sort())
})

it("has the same list, titles and order on the index page", () => {
  const list = guides.map(({ group, pages }) =>
    [`**${group}**\n`, ...pages.map(({ about, file, title }) => `- [${title}](${file}): ${about}`)].join("\n")
  )
  expect(read("index.md")).toContain(list.join("\n\n"))
})

it("has a README of at most 700 words", () => {
  expect(readFileSync(join(root, "README.md"), "utf8").split(/\s+/).length).toBeLessThanOrEqual(700)
})

it.each(pages)("$file has the title of the list, and fits two screens", ({ file, title }) => {
  const text = read(file)
  expect(text.split("\n")[0]).toBe(`# ${title}`)
  // A guide is in the package, where the scripts of a clone do nothing.
  expect(text).not.toContain("npm run -s")
  // About 75 lines a screen, in a window as high as a page of print.
  expect(text.split("\n").length).toBeLessThan(150)
})
