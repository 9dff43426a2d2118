/**
 * Merges small chunks of a bundle into others: a file takes whole blocks of 4 KB on disk, and each costs a read at the
 * start.
 *
 * @module
 */
import { basename } from "node:path"
import { rolldown } from "rolldown"

/** A chunk of at least this many bytes stays alone. */
const minBytes = 24_000
/** How much more an entry may load than before, in bytes and as a share. */
const maxExtraBytes = 12_000
const maxExtraPart = 0.05

/**
 * @typedef {object} Part chunks that are to be one
 * @property {ReadonlyArray<string>} modules their source files
 * @property {number} size
 * @property {boolean} entry
 * @property {string} packages those that it imports, at once or later: with it, they would be loaded, or looked for by a
 * bundler, by who has none of them
 * @property {boolean} apart whether only entries load it that load a module which is kept apart
 * @property {Set<Part>} imports
 */

/** Everything that is loaded with a chunk. @type {(start: Part) => Set<Part>} */
const loadedWith = (start) => {
  const loaded = new Set([start])
  for (const part of loaded) for (const next of part.imports) loaded.add(next)
  return loaded
}

/** Makes one part of several. @type {(merged: ReadonlyArray<Part>, parts: Set<Part>) => Part} */
const mergeAll = (merged, parts) => {
  const one = {
    modules: merged.flatMap(({ modules }) => modules),
    size: sizeOf(merged),
    entry: false,
    packages: merged[0]?.packages ?? "",
    apart: merged.every(({ apart }) => apart),
    imports: new Set(merged.flatMap(({ imports }) => [...imports]).filter((part) => !merged.includes(part))),
  }
  for (const part of merged) parts.delete(part)
  for (const { imports } of parts) {
    const used = merged.filter((part) => imports.delete(part))
    if (used.length > 0) imports.add(one)
  }
  parts.add(one)
  return one
}

/** @type {(parts: Iterable<Part>) => number} */
const sizeOf = (parts) => [...parts].reduce((sum, { size }) => sum + size, 0)

/**
 * Plans which modules share a chunk: the groups for `codeSplitting` of a second build of the same input.
 *
 * A merge never closes a circle of imports, and no entry loads noticeably more by all of them together. What each entry
 * of `starts` loads becomes one chunk first, as far as it is in none of those before: each file costs time at a start.
 *
 * @param {import("rolldown").InputOptions} input
 * @param {import("rolldown").OutputOptions} output
 * @param {ReadonlyArray<string>} [starts] names of entries
 * @param {(id: string) => boolean} [keepsApart] a module with which an entry that does not need it gets no chunk, however
 * small: bundlers keep the chunks that it imports later
 * @returns {Promise<import("rolldown").OutputOptions>}
 */
export const mergeSmallChunks = async (input, output, starts = [], keepsApart = () => false) => {
  const bundle = await rolldown(input)
  const { output: files } = await bundle.generate(output)
  await bundle.close()
  const chunks = files.flatMap((file) => file.type === "chunk" ? [file] : [])
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, {
    modules: chunk.moduleIds,
    size: chunk.code.length,
    entry: chunk.isEntry || chunk.isDynamicEntry,
    packages: [...chunk.imports, ...chunk.dynamicImports].filter((name) =>
      !/^(?:effect\b|node:)/.test(name) && !files.some((file) => file.fileName === name)
    )
      .toSorted().join(" "),
    apart: true,
    imports: new Set(),
  }]))
  for (const chunk of chunks) {
    for (const file of chunk.imports) {
      const part = byFile.get(file)
      if (part !== undefined) byFile.get(chunk.fileName)?.imports.add(part)
    }
  }
  const parts = new Set(byFile.values())
  for (const part of parts) {
    const loaded = part.entry ? [...loadedWith(part)] : []
    if (loaded.some(({ modules }) => modules.some(keepsApart))) continue
    for (const each of loaded) each.apart = false
  }
  /** @type {Set<Part>} */
  const starting = new Set()
  for (const start of starts) {
    const entry = byFile.get(chunks.find(({ name }) => name === start)?.fileName ?? "")
    if (entry === undefined) throw new Error(`there is no entry ${start}`)
    const all = [...loadedWith(entry)].filter((part) => !part.entry && !starting.has(part))
    for (const shared of Map.groupBy(all, ({ apart, packages }) => `${apart} ${packages}`).values()) {
      if (shared.length > 1) starting.add(mergeAll(shared, parts))
      else for (const part of shared) starting.add(part)
    }
  }
  const entries = [...parts].filter(({ entry }) => entry)
  const before = new Map(entries.map((entry) => [entry, sizeOf(loadedWith(entry))]))

  /** Loaded bytes of the entries more than before if two chunks are one; infinite where they must not be. */
  const cost = (/** @type {Part} */ one, /** @type {Part} */ other, /** @type {Map<Part, Set<Part>>} */ loads) => {
    const closes = (/** @type {Part} */ from, /** @type {Part} */ to) =>
      [...from.imports].some((next) => next !== to && (loads.get(next) ?? loadedWith(next)).has(to))
    if (one.apart !== other.apart || one.packages !== other.packages) return Infinity
    if (closes(one, other) || closes(other, one)) return Infinity
    const both = new Set([...(loads.get(one) ?? []), ...(loads.get(other) ?? [])])
    let sum = 0
    for (const entry of entries) {
      const loaded = loads.get(entry) ?? new Set()
      if (loaded.has(one) === loaded.has(other)) continue
      const extra = sizeOf([...both].filter((part) => !loaded.has(part)))
      const original = before.get(entry) ?? 0
      const allowed = Math.max(1, Math.min(maxExtraBytes, maxExtraPart * original))
      if (sizeOf(loaded) + extra - original > allowed) return Infinity
      sum += extra
    }
    return sum
  }

  for (;;) {
    const loads = new Map([...parts].map((part) => [part, loadedWith(part)]))
    const shared = [...parts].filter(({ entry }) => !entry).sort((a, b) => a.size - b.size)
    let best
    for (const small of shared) {
      if (small.size >= minBytes) break
      for (const other of shared) {
        if (other === small) continue
        const extra = cost(small, other, loads)
        if (extra < (best?.extra ?? Infinity)) best = { extra, small, other }
      }
      if (best !== undefined) break
    }
    if (best === undefined) break
    mergeAll([best.small, best.other], parts)
  }

  const names = new Map()
  const taken = new Set()
  for (const { entry, modules } of parts) {
    if (entry) continue
    // Named like its last module, which imports the others. One name for two groups would make them one chunk.
    const base = basename(modules.at(-1) ?? "", ".js").replace(/(\.d)?\.ts$/, "")
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}${count}`
    taken.add(name)
    for (const id of modules) names.set(id, name)
  }
  return {
    ...output,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => names.get(id) ?? null, debugName: "small" }],
    },
  }
}
