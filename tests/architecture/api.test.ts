import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { publicNames } from "../../scripts/api.mjs"
import { root, sourceFiles } from "./sources.ts"

const names = publicNames()

/** Subpaths of what agents do, beside those of commands. */
const agentSubpaths = [
  "./files",
  "./spell",
  "./agent",
  "./branch",
  "./fetch",
  "./git",
  "./database",
  "./database/postgres",
  "./secrets",
]

/** Subpaths of places where commands run behind walls or on other machines, and of terminals: a program needs one or two of them. */
const placeSubpaths = ["./isolated", "./egress", "./container", "./ssh", "./s3", "./terminal"]

/** Subpaths with the names of another package, for programs that come from it. */
const foreignSubpaths = ["./just-bash"]

// A newcomer reads the list of a subpath. What is over a limit goes into a namespace, or is not exported.
it("exports at most 346 names of commands, servers and journals, 234 of files, spells and agents, 48 of places, 10 of just-bash", () => {
  const all = names.filter(({ member }) => !member)
  const own = all.filter(({ subpath }) => !foreignSubpaths.includes(subpath))
  expect(all.length - own.length).toBeLessThanOrEqual(10)
  const ofAgents = own.filter(({ subpath }) => agentSubpaths.includes(subpath))
  const ofPlaces = own.filter(({ subpath }) => placeSubpaths.includes(subpath))
  expect(ofAgents.length).toBeGreaterThan(50)
  expect(ofAgents.length).toBeLessThanOrEqual(234)
  expect(ofPlaces.length).toBeGreaterThan(20)
  expect(ofPlaces.length).toBeLessThanOrEqual(48)
  expect(own.length - ofAgents.length - ofPlaces.length).toBeGreaterThan(100)
  expect(own.length - ofAgents.length - ofPlaces.length).toBeLessThanOrEqual(346)
})

it("documents every public name and its stability", () => {
  const bare = names.filter(({ doc, kind, stability }) =>
    doc.trim() === "" || (kind !== "namespace" && !/^(stable|experimental)$/.test(stability))
  )
  expect(bare.map(({ name, subpath }) => `${subpath} ${name}`)).toEqual([])
})

it("names limits among options max…, and takes times as DurationInput", () => {
  const wrong = sourceFiles.flatMap((file) =>
    [
      ...readFileSync(new URL(file, root), "utf8").matchAll(
        /readonly (\w*[lL]imit\?: number|\w+\?: Duration\.Input)\b/g,
      ),
    ]
      .map(([field]) => `${file}: ${field}`)
  )
  expect(wrong).toEqual([])
})

it("exports each declaration through only one subpath", () => {
  const subpaths = new Map<string, Set<string>>()
  for (const { kind, location: { col, filename, line }, subpath } of names) {
    if (kind === "namespace") continue
    const key = `${filename}:${line}:${col}`
    subpaths.set(key, (subpaths.get(key) ?? new Set()).add(subpath))
  }
  const twice = names.filter(({ kind, location: { col, filename, line }, member }) =>
    !member && kind !== "namespace" && (subpaths.get(`${filename}:${line}:${col}`)?.size ?? 0) > 1
  )
  expect(twice.map(({ name, subpath }) => `${subpath} ${name}`)).toEqual([])
})

/** Whether a declaration is a Schema, which its fields describe. */
const isSchema = ({ filename, line }: { readonly filename: string; readonly line: number }): boolean =>
  /^export const \w+: (?:Schema\.|RequestSchema<|EventSchema<|TagUnion<)/.test(
    readFileSync(new URL(filename), "utf8").split("\n")[line] ?? "",
  )

/** Whether a name is the `make` or `layerWith` of a namespace whose `layer` has the example. */
const hasTwin = ({ name, subpath }: { readonly name: string; readonly subpath: string }): boolean =>
  /\.(?:make|layerWith)$/.test(name) &&
  names.some((each) => each.subpath === subpath && each.name === name.replace(/\w+$/, "layer"))

/** Whether a name is one of the utilities, each of which begins with its usage and names its manual page. */
const isUtility = ({ doc, name }: { readonly doc: string; readonly name: string }): boolean =>
  /^Utilities\.\w+$/.test(name) && /^`\w+/.test(doc)

it("shows an example of every function, and of every value that is neither a Schema nor a utility", () => {
  const without = names.filter((each) =>
    (each.kind === "function" || (each.kind === "variable" && !isSchema(each.location))) && !isUtility(each) &&
    !hasTwin(each) &&
    !each.tags.some((tag) => tag.kind === "example")
  )
  expect(without.map(({ name, subpath }) => `${subpath} ${name}`)).toEqual([])
})
