/**
 * Makes `dist`: what the npm package ships.
 *
 * - `dist/needs-effect-4/`: the modules that are used with Effect, bundled without it. Where Effect is missing, or is
 *   another version, the runtime's own error names the importing file, and so this folder.
 * - `dist/run.js` with `dist/run/`, `dist/cli/`: what needs no package at all, Effect inside.
 * - `dist/types/`: the types that the public modules reach.
 * - `dist/THIRD_PARTY_LICENSES.txt`: the licences of all that is inside.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { dts } from "rolldown-plugin-dts"
import { mergeSmallChunks } from "./chunks.mjs"
import { entryName } from "./exports.mjs"
import { breakLines } from "./lines.mjs"

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const read = (/** @type {string} */ name) => JSON.parse(readFileSync(path(name), "utf8"))

// A clone has none where npm ran no scripts.
await import("./console.mjs")

for (const folder of ["dist", ".cache/types"]) rmSync(path(folder), { recursive: true, force: true })

const { status } = spawnSync(process.execPath, [path("node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: path("."),
  // npm reads stdout of `prepack` where it was asked for JSON.
  stdio: ["ignore", 2, 2],
})
if (status !== 0) process.exit(status ?? 1)

/** @param {ReadonlyArray<string>} names */
const isOneOf = (names) => (/** @type {string} */ id) => names.some((name) => id === name || id.startsWith(`${name}/`))

/** Packages that npm installs beside this one: a module loads each when it needs it. */
const dependencies = Object.keys(read("package.json").dependencies)
/** The peers: packages that the modules import and npm does not bring. */
const peers = Object.keys(read("package.json").peerDependencies)
const isExternal = isOneOf([...dependencies, ...peers])

// Its build for Node calls `require`, and then every chunk would import `node:module` with the bundler's helpers: nothing
// could be bundled for a browser.
const resolve = { alias: { yaml: path("node_modules/yaml/browser/dist/index.js") } }

/** Packages with a part in a bundle. @type {Set<string>} */
const bundled = new Set()

/**
 * @param {import("rolldown").InputOptions} input
 * @param {import("rolldown").OutputOptions} output
 */
const bundle = async (input, output) => {
  const made = await rolldown(input)
  const { output: chunks } = await made.write(output)
  await made.close()
  for (const chunk of chunks) {
    if (chunk.type !== "chunk") continue
    for (const id of chunk.moduleIds) {
      const inside = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1]
      if (inside !== undefined) bundled.add(inside)
    }
  }
}

/**
 * Bundles with few small chunks.
 *
 * @param {import("rolldown").InputOptions} input
 * @param {import("rolldown").OutputOptions} output
 * @param {ReadonlyArray<string>} starts entries that load few files
 * @param {(id: string) => boolean} [keepsApart]
 */
const bundleChunks = async (input, output, starts, keepsApart) => {
  const entries = { ...input, plugins: [entryModules, input.plugins] }
  const merged = await mergeSmallChunks(entries, output, starts, keepsApart)
  // The bundler demands it of who chooses the modules of a chunk.
  await bundle({ ...entries, preserveEntrySignatures: "allow-extension" }, merged)
}

const entryPrefix = "entry:"
/** Entries that no module imports: what other modules need of a public module must not become a public name. */
const entryModules = {
  name: "entries",
  /** @param {string} id */
  resolveId: (id) => id.startsWith(entryPrefix) ? id : undefined,
  /** @param {string} id */
  load: (id) =>
    id.startsWith(entryPrefix) ? `export * from ${JSON.stringify(id.slice(entryPrefix.length))}` : undefined,
}

/** Members of `process` that Effect reads when it loads: `AsyncResource`, the clock. */
const asyncResource =
  /const AsyncResource = (.*\(\) => \{[^]*?\n\}\)\(\));\n(const captureAsyncContext = \(\) => )AsyncResource/
const clock = "globalThis.process?.hrtime"
/**
 * Makes Effect load without `process`, whose first access costs more than 20 ms on Deno. It looks for `AsyncResource` when
 * the first fiber suspends, and then a command is running already; on Deno its clock is `performance`.
 */
const withoutProcess = {
  name: "without-process",
  /** @param {string} code @param {string} id */
  transform: (code, id) => {
    if (!/[\\/]effect[\\/]dist[\\/]internal[\\/]effect\.js$/.test(id)) return
    if (!asyncResource.test(code) || !code.includes(clock)) {
      throw new Error("effect reads process in another way than build.mjs expects")
    }
    return code
      .replace(
        asyncResource,
        "let AsyncResource = null\n$2(AsyncResource === null ? AsyncResource = $1 : AsyncResource)",
      )
      .replace(clock, `"Deno" in globalThis ? undefined : ${clock}`)
  },
}

/** The console's page is one large text: the command line takes it from the modules beside it. */
const page = path("generated/consoleAssets.ts")
/** Names of functions and classes stay: they are in stack traces and in errors that are not caught. */
const minify = { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } }

/** Parts of leaves with processes that import modules later: a bundle for an edge isolate, which has none, is one file. */
const needsProcesses = (/** @type {string} */ id) =>
  /[\\/](terminal[\\/]findEngine|script[\\/]withPortableScripts)\.ts$/.test(id)

/** @type {ReadonlyArray<[string, string]>} */
const subpaths = Object.entries(read("deno.json").exports)
const alone = ["./run", "./cli"]

await bundleChunks(
  {
    platform: "node",
    resolve,
    input: Object.fromEntries(
      subpaths.filter(([subpath]) => !alone.includes(subpath)).map(([subpath, file]) => [
        entryName(subpath),
        `${entryPrefix}${path(file)}`,
      ]).concat([["consoleAssets", page]]),
    ),
    external: isExternal,
  },
  {
    format: "esm",
    dir: path("dist/needs-effect-4"),
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: { legal: true, annotation: true, jsdoc: false },
    minify,
  },
  ["wire", "mod"],
  needsProcesses,
)
await bundleChunks({ platform: "node", input: { run: path("src/run/mod.ts") }, plugins: [withoutProcess] }, {
  format: "esm",
  dir: path("dist"),
  entryFileNames: "[name].js",
  chunkFileNames: "run/[name]-[hash].js",
  minify,
}, ["run"])
await bundleChunks({
  platform: "node",
  resolve,
  input: path("src/cli/main.ts"),
  external: (id) => id === page || isOneOf(dependencies)(id),
}, {
  format: "esm",
  dir: path("dist/cli"),
  paths: { [page]: "../needs-effect-4/consoleAssets.js" },
  minify: true,
}, ["runCli"])

copyFileSync(path("src/cli/demo/session.ndjson"), path("dist/cli/session.ndjson"))

// The bundler's helpers import `node:module` for a package that calls `require`. On Deno that import loads Node's modules
// at each start of the command line, which is a fifth of it.
const [helpers = ""] = readdirSync(path("dist/cli")).filter((file) => file.startsWith("rolldown-runtime-"))
const helpersCode = readFileSync(path(`dist/cli/${helpers}`), "utf8")
const lazyCode = helpersCode.replace(
  /^import\{createRequire as (\w+)\}from"node:module";([^]*)=\/\* @__PURE__ \*\/ \1\((import\.meta\.url)\)/,
  "$2=id=>process.getBuiltinModule(`node:module`).createRequire($3)(id)",
)
if (lazyCode.includes("import{")) {
  throw new Error("the bundler's helpers have changed: they import a module at the start")
}
writeFileSync(path(`dist/cli/${helpers}`), lazyCode)

const runFiles = ["run.js", ...readdirSync(path("dist/run")).map((file) => `run/${file}`)]
const readRunFile = (/** @type {string} */ file) => readFileSync(path(`dist/${file}`), "utf8")
const runEntry = readRunFile("run.js")
const publicClasses = [...runEntry.slice(runEntry.lastIndexOf("export{")).matchAll(/(?: as |[{,])([A-Z]\w+)(?=[,}])/g)]
// The bundler numbers a class beside a constant of its name, here where a class is exported under another type. Users see
// a class's name in stack traces.
for (const file of runFiles) {
  let code = readRunFile(file)
  for (const [, name = ""] of publicClasses) {
    const [numbered] = new RegExp(`\\b${name}\\$\\d+`).exec(code) ?? []
    if (numbered === undefined) continue
    if (new RegExp(`(var |let |const |class |function |,)${name}\\b(?!\\$)`).test(code)) {
      throw new Error(`dist/${file} has another ${name} beside ${numbered}`)
    }
    code = code.replaceAll(numbered, name)
  }
  writeFileSync(path(`dist/${file}`), breakLines(code))
}
const moduleFiles = readdirSync(path("dist/needs-effect-4"), { recursive: true, encoding: "utf8" })
for (const file of moduleFiles.filter((each) => each.endsWith(".js") && each !== "consoleAssets.js")) {
  const name = path(`dist/needs-effect-4/${file}`)
  writeFileSync(name, breakLines(readFileSync(name, "utf8")))
}

// One file a public module, and what several share: 300 small files would take twice the room on disk.
const types = await rolldown({
  input: Object.fromEntries(
    subpaths.map(([subpath, file]) => [
      entryName(subpath),
      path(`.cache/types/${file.replace(/\.ts$/, ".d.ts")}`),
    ]),
  ),
  external: (id) => !/^[./]/.test(id) && !isAbsolute(id),
  plugins: [dts({ dtsInput: true })],
})
await types.write({ dir: path("dist/types"), format: "esm", chunkFileNames: "shared/[name]-[hash].js" })
await types.close()
// Examples are on the site and in the sources: in the package they would take more room than all code of `./run`.
const withoutExamples = (/** @type {string} */ text) =>
  text.replace(
    /\/\*\*[\s\S]*?\*\//g,
    (comment) => comment.replace(/\n\s*\* @example\b[\s\S]*?(?=\n\s*\* @[a-z]|\n\s*\*\/)/g, ""),
  )
for (const file of readdirSync(path("dist/types"), { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".d.ts")) continue
  const name = path(`dist/types/${file}`)
  writeFileSync(name, withoutExamples(readFileSync(name, "utf8")))
}
// The bundler's own helper, which no type needs.
for (const file of readdirSync(path("dist/types/shared"))) {
  if (file.endsWith(".js")) rmSync(path(`dist/types/shared/${file}`))
}

/** Packages without a licence text are a part of a repository that has one. @type {Readonly<Record<string, string>>} */
const wholes = { "@effect/": "effect", "@xterm/": "@xterm/xterm" }
const licences = [...bundled].sort().map((name) => {
  const folder = path(`node_modules/${name}`)
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each))
  const [, whole] = Object.entries(wholes).find(([prefix]) => name.startsWith(prefix)) ?? []
  const text = file === undefined ? whole && path(`node_modules/${whole}/LICENSE`) : join(folder, file)
  const { license, version } = read(`node_modules/${name}/package.json`)
  if (text === undefined) throw new Error(`${name} has no licence text`)
  return `${name} ${version} (${license})\n\n${readFileSync(text, "utf8").trim()}\n`
})
writeFileSync(
  path("dist/THIRD_PARTY_LICENSES.txt"),
  ["Parts of these packages are inside the files of this folder.\n", ...licences].join(`\n${"-".repeat(80)}\n\n`),
)
