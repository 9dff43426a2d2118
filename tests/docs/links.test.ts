import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"

const pages = [
  "README.md",
  "CHANGELOG.md",
  ...["architecture", "docs"].flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`)),
].filter((file) => file.endsWith(".md"))

/** Links of a page to files of the checkout: those with a scheme lead elsewhere. */
const linksOf = (page: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
    .flatMap(([, link]) => link === undefined || /^[a-z]+:/.test(link) ? [] : [link])

it.each(pages)("%s links only to what is there", (page) => {
  const broken = linksOf(page).filter((link) => !existsSync(join(root, dirname(page), link.replace(/#.*$/, ""))))
  expect(broken).toEqual([])
})

it.each(pages.filter((page) => page.startsWith("architecture/")))("%s names only files that are there", (page) => {
  const named = [...readFileSync(join(root, page), "utf8").matchAll(/\b(?:src|tests|scripts)\/[\w./-]*[\w/]/g)]
  expect(named.length).toBeGreaterThan(0)
  expect(named.map(([path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([])
})
