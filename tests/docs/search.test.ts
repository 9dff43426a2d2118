/** The search of the site, over the guides and the names of the API; the build asks the same with their documentation. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { guides } from "../../docs/site/guides.mjs"
import { questions } from "../../docs/site/questions.mjs"
import { guidePlaces, loadIndex, makeIndex, type Place, search } from "../../docs/site/search.mjs"
import { root } from "../../scripts/examples.mjs"

const read = (file: string) => readFileSync(join(root, file), "utf8")
const sections = guides.flatMap(({ pages }) => pages.flatMap((guide) => guidePlaces(guide, read(`docs/${guide.file}`))))
/** `./run LazyCommand.text method stable` */
const names = read("architecture/api.txt").split("\n").slice(1).filter((line) => line !== "").map((line): Place => {
  const [subpath = "", title = ""] = line.split(" ")
  const file = subpath === "." ? "shell" : subpath.slice(2).replaceAll("/", ".")
  return {
    id: `api/${file}.ts/~/${title}.html`,
    page: `@sluice/shell${subpath.slice(1)}`,
    title,
    about: "",
    text: "",
    kind: "api",
  }
})
const index = loadIndex(JSON.stringify(makeIndex([...sections, ...names])))

describe("the search of the site", () => {
  it.each(questions)("answers %j with %s first", (question, page) => {
    const [first] = search(index, question)
    expect(String(first?.id).replace(/#.*$/, "")).toBe(page)
  })

  it("finds the section, not only the page", () => {
    expect(search(index, "join commands")[0]?.id).toBe("pipelines.html#join-commands")
  })

  it("finds words while they are typed, and with a wrong letter", () => {
    expect(search(index, "termin")[0]?.page).toMatch(/^Termina/)
    expect(search(index, "jornals")[0]?.page).toBe("Journals")
  })
})
