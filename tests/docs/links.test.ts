/** Checks the links and the file names in the documentation; on Node alone, since the files are the same on every runtime. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"

const pages = [
  "README.md",
  "AGENTS.md",
  "AGENTS.npm.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
  "CHANGELOG.md",
  ...["architecture", "docs"].flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`)),
].filter((file) => file.endsWith(".md"))

/** The address of the repository's files: the page of the package on npm shows README.md alone. */
const repository = /^https:\/\/github\.com\/sluice\/shell\/(?:blob|raw)\/main\//

const linksOf = (page: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => link ?? [])

const isRelative = (link: string): boolean => !/^[a-z]+:/.test(link)

/** The file of the checkout that a link leads to; `undefined` for other addresses. */
const fileOf = (page: string, link: string): string | undefined => {
  const path = link.replace(/#.*$/, "")
  return repository.test(path)
    ? join(root, path.replace(repository, ""))
    : isRelative(path)
    ? join(root, dirname(page), path)
    : undefined
}

it.each(pages)("%s links only to existing targets", (page) => {
  const broken = linksOf(page).filter((link) => {
    const file = fileOf(page, link)
    return file !== undefined && !existsSync(file)
  })
  expect(broken).toEqual([])
})

it("README.md has only absolute links, for the package's page", () => {
  expect(linksOf("README.md").filter(isRelative)).toEqual([])
  expect(linksOf("README.md").some((link) => repository.test(link))).toBe(true)
})

it.each(pages.filter((page) => page.startsWith("architecture/")))("%s names only existing files", (page) => {
  const named = [...readFileSync(join(root, page), "utf8").matchAll(/\b(?:src|tests|scripts)\/[\w./-]*[\w/]/g)]
  expect(named.length).toBeGreaterThan(0)
  expect(named.map(([path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([])
})
