import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { listOf, publicNames } from "../../scripts/api.mjs"
import { root } from "./sources.ts"

const names = publicNames()

it("exports what architecture/api.txt lists: `npm run api` writes it", () => {
  expect(listOf(names)).toBe(readFileSync(new URL("architecture/api.txt", root), "utf8"))
})

/** Subpaths of what agents do, beside those of commands. */
const agentSubpaths = ["./files", "./spell", "./agent", "./branch", "./fetch", "./git"]

it("exports at most 325 names of commands, servers and journals, and at most 200 of files, spells and agents", () => {
  const own = names.filter(({ member }) => !member)
  const ofAgents = own.filter(({ subpath }) => agentSubpaths.includes(subpath))
  expect(ofAgents.length).toBeGreaterThan(50)
  expect(ofAgents.length).toBeLessThanOrEqual(200)
  expect(own.length - ofAgents.length).toBeGreaterThan(100)
  expect(own.length - ofAgents.length).toBeLessThanOrEqual(325)
})

it("tells of every public name what it does, and how stable it is", () => {
  const bare = names.filter(({ doc, kind, stability }) =>
    doc.trim() === "" || (kind !== "namespace" && !/^(stable|experimental)$/.test(stability))
  )
  expect(bare.map(({ name, subpath }) => `${subpath} ${name}`)).toEqual([])
})

it("exports a declaration through one subpath alone", () => {
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

it("shows an example of every stable name, and of every function and value", () => {
  const without = names.filter(({ kind, stability, tags }) =>
    (stability === "stable" || kind === "function" || kind === "variable") && kind !== "namespace" &&
    !tags.some((tag) => tag.kind === "example")
  )
  expect(without.map(({ name, subpath }) => `${subpath} ${name}`)).toEqual([])
})
