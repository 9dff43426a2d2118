import { existsSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { modules, topLayer } from "../../scripts/modules.mjs"
import { imports, importsOf, neighbours, root, sourceFiles, target } from "./sources.ts"

const layers: ReadonlyMap<string, number> = new Map(modules.map(({ layer, name }) => [name, layer]))

const moduleOf = (file: string): string =>
  file === "mod.ts" ? file : file.match(/^src\/(leaves\/[^/]+|[^/]+)\//)?.[1] ?? file

/** `mod.ts` is in the top layer, beside the command line. */
const layerOf = (file: string): number | undefined => file === "mod.ts" ? topLayer : layers.get(moduleOf(file))

it("every source file is in a module that has a layer", () => {
  expect(sourceFiles.filter((file) => layerOf(file) === undefined)).toEqual([])
})

it("architecture/modules.json names only modules that exist", () => {
  expect(modules.filter(({ name }) => !existsSync(new URL(`src/${name}`, root)))).toEqual([])
})

it("a module imports only modules of lower layers", () => {
  const wrong = sourceFiles.flatMap((file) =>
    neighbours(file)
      .filter((other) => moduleOf(other) !== moduleOf(file))
      .filter((other) => (layerOf(other) ?? 0) >= (layerOf(file) ?? 0))
      .map((other) => `${file} (layer ${layerOf(file)}) uses ${other} (layer ${layerOf(other)})`)
  )
  expect(wrong).toEqual([])
})

it("other modules import only the public files of a module", () => {
  const open = new Set(modules.flatMap(({ name, public: files }) => files.map((file) => `src/${name}/${file}`)))
  const between = sourceFiles.flatMap((file) =>
    neighbours(file).filter((other) => moduleOf(other) !== moduleOf(file)).map((other) => ({ file, other }))
  )
  expect(between.filter(({ other }) => !open.has(other)).map(({ file, other }) => `${file} uses ${other}`)).toEqual([])
  const used = new Set(between.map(({ other }) => other))
  const faces = new Set(Object.values<string>(JSON.parse(readFileSync(new URL("deno.json", root), "utf8")).exports))
  expect([...open].filter((file) => !used.has(file) && !faces.has(`./${file}`))).toEqual([])
})

it("loads Hono only for routes, and not for other agent tools", () => {
  const loaded = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const { dynamic, specifier, type } of imports.get(file) ?? []) {
      if (!dynamic && !type && specifier.startsWith(".")) loaded(target(file, specifier), seen)
    }
    return seen
  }
  const needsHono = (file: string): boolean =>
    [...loaded(file)].some((one) =>
      (imports.get(one) ?? []).some(({ dynamic, specifier, type }) =>
        /^hono(\/|$)/.test(specifier) && !dynamic && !type
      )
    )
  const files = ["src/mcp/mod.ts", "src/cli/mcp/mcp.ts", "src/cli/program.ts", "src/leaves/remote/mod.ts", "mod.ts"]
  expect(files.filter(needsHono)).toEqual([])
  expect(["src/mcp/http.ts", "src/http/mod.ts"].filter(needsHono)).toHaveLength(2)
})

it("imports only files that exist", () => {
  const wrong = sourceFiles.flatMap((file) =>
    neighbours(file).filter((other) => !sourceFiles.includes(other)).map((other) => `${file} imports ${other}`)
  )
  expect(wrong).toEqual([])
})

it("has no circle of files that import each other", () => {
  const done = new Set<string>()
  const circles: Array<string> = []
  const walk = (file: string, path: ReadonlyArray<string>): void => {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file].join(" -> "))
    if (start >= 0 || done.has(file)) return
    for (const other of neighbours(file)) walk(other, [...path, file])
    done.add(file)
  }
  for (const file of sourceFiles) walk(file, [])
  expect(circles).toEqual([])
})

it("has an empty line between a file's header and the doc comment of its first declaration", () => {
  const header = /^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n(?=\/\*\*)/
  expect(sourceFiles.filter((file) => header.test(readFileSync(new URL(file, root), "utf8")))).toEqual([])
})

it("imports no built-in of one runtime: a leaf asks for them when it runs", () => {
  const wrong = sourceFiles.flatMap((file) =>
    (imports.get(file) ?? [])
      .filter(({ dynamic, specifier, type }) => /^(node|bun):|^bun$/.test(specifier) && !dynamic && !type)
      .map(({ specifier }) => `${file} imports ${specifier}`)
  )
  expect(wrong).toEqual([])
})

/** Computes hashes where the runtime has no synchronous ones, or Web Crypto has none at all (MD5). */
const hashing: ReadonlySet<string> = new Set([
  "src/base/sha256.ts",
  "src/kernel/utilities/tools/checksums.ts",
  "src/kernel/utilities/tools/b2sum.ts",
  "src/kernel/utilities/archives/unxz.ts",
  "src/leaves/s3/S3Objects.ts",
])

it("imports from outside only Effect's modules and the packages that a module is built on", () => {
  const wrong = sourceFiles.flatMap((file) =>
    (imports.get(file) ?? [])
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.startsWith(".") && !/^(node|bun):|^bun$/.test(specifier))
      .filter((specifier) => !specifier.startsWith("effect/"))
      .filter((specifier) => !(/^hono(\/|$)/.test(specifier) && ["http", "mcp", "console"].includes(moduleOf(file))))
      .filter((specifier) => !(specifier.startsWith("@xterm/") && file.startsWith("src/console/page/")))
      .filter((specifier) => !(specifier.startsWith("@xterm/") && file === "src/terminal/Emulator.ts"))
      .filter((specifier) => !(specifier === "yaml" && moduleOf(file) === "mcp"))
      .filter((specifier) =>
        !(["yaml", "smol-toml"].includes(specifier) && file.startsWith("src/kernel/utilities/yq/"))
      )
      .filter((specifier) => !(["diff", "ignore", "re2js"].includes(specifier) && moduleOf(file) === "files"))
      .filter((specifier) => !(specifier === "fflate/browser" && file.startsWith("src/kernel/utilities/archives/")))
      .filter((specifier) => !(specifier === "ws" && file === "src/cli/nodeUpgrade.ts"))
      .filter((specifier) => !(specifier === "smol-toml" && file.startsWith("src/cli/config/")))
      .filter((specifier) => !(specifier.startsWith("@noble/hashes/") && hashing.has(file)))
      .filter((specifier) => !(specifier === "aws4fetch" && file === "src/net/loadSigner.ts"))
      .filter((specifier) => !(specifier === "ssh2" && moduleOf(file) === "leaves/ssh"))
      .filter((specifier) => !(specifier === "isomorphic-git" && file === "src/kernel/tools/git/repository/loadGit.ts"))
      .filter((specifier) =>
        !(specifier === "@sqlite.org/sqlite-wasm" && file === "src/kernel/tools/sqlite3/loadSqlite.ts")
      )
      .filter((specifier) => !(specifier.startsWith("@effect/sql-pg/") &&
        /^src\/(journal\/(stores\/)?postgres|database\/postgres|sql\/postgresSockets)/.test(file))
      )
      .map((specifier) => `${file} imports ${specifier}`)
  )
  expect(wrong).toEqual([])
})

it("sees every form of import, and none in a comment or a text", () => {
  const text = [
    `import type { A } from "./a.ts"`,
    `import { type B } from "./b.ts"`,
    `import "./c.ts"`,
    `export * from "./d.ts"`,
    `export * as E from "./e.ts"`,
    `export { f } from "./f.ts"`,
    `export type G = import("./g.ts").G`,
    `const h = () => import("./h.ts")`,
    `// import "./no.ts"`,
    `const no = 'import "./no.ts"'`,
  ].join("\n")
  expect(importsOf("x.ts", text).map(({ specifier }) => specifier).join(" ")).toBe(
    "./a.ts ./b.ts ./c.ts ./d.ts ./e.ts ./f.ts ./g.ts ./h.ts",
  )
})
