/**
 * Builds the programs of the slow suite that are not built yet, and writes down where they are: `node build.mjs`.
 *
 * The name of a program has a digest of its sources and its build. Programs stay in `.cache/slow/` until you remove them.
 *
 * @module
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { cache, digestOf, run, sourceOf } from "./debian.mjs"
import * as c from "./interpreters.mjs"
import * as python from "./python.mjs"

/**
 * @typedef {object} Built
 * @property {string} version of the Debian source
 * @property {string} path
 */

/**
 * @param {string} name
 * @param {ReadonlyArray<string>} packages
 * @param {string} recipe
 * @param {(into: string) => void} build
 * @returns {Built}
 */
const once = (name, packages, recipe, build) => {
  const versions = packages.map((source) => sourceOf(source).version)
  const path = join(cache, `${name}-${digestOf([...versions, recipe].join("\0"))}`)
  if (!existsSync(path)) {
    process.stderr.write(`Building ${name} from ${versions.join(" and ")} ...\n`)
    build(path)
    const before = readdirSync(cache).filter((other) => other.startsWith(`${name}-`) && join(cache, other) !== path)
    for (const other of before) rmSync(join(cache, other), { recursive: true })
  }
  return { version: versions.join(", "), path }
}

const packages = fileURLToPath(new URL("../node_modules/", import.meta.url))

/** @param {string} name */
const versionOf = (name) => JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")).version

/** What npm brought: pandoc as it is; clang, and its headers and libraries, which lie in an archive. */
const fromNpm = () => {
  const version = versionOf("@yowasp/clang")
  const folder = join(packages, "@yowasp", "clang", "gen")
  const path = join(cache, `clang-${version}`)
  if (!existsSync(path)) {
    const draft = `${path}.draft`
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true })
    run(draft, "tar", ["-xf", join(folder, "llvm-resources.tar")])
    renameSync(draft, path)
  }
  return {
    clang: { version, path: join(folder, "llvm.core.wasm"), resources: path },
    pandoc: { version: versionOf("pandoc-wasm"), path: join(packages, "pandoc-wasm", "src", "pandoc.wasm") },
  }
}

/** Where the programs are: written as JSON, which the tests read. */
export const index = join(cache, "programs.json")

/** Builds what is not there. Throws where it cannot. */
export const buildPrograms = () => {
  mkdirSync(cache, { recursive: true })
  const recipe = c.recipe()
  const interpreters = Object.entries(c.interpreters).map(([name, { packages }]) => [
    name,
    once(name, packages, recipe, (into) => c.buildInterpreter(name, into)),
  ])
  const all = {
    ...Object.fromEntries(interpreters),
    jqTests: { path: join(sourceOf("jq").folder, "tests") },
    python: once("python", ["python3.11"], python.recipe(), python.buildPython),
    ...fromNpm(),
  }
  writeFileSync(index, JSON.stringify(all, undefined, 2))
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) buildPrograms()
