/**
 * Tests the published package as its users will use it: packed, installed in an empty project, imported on every
 * runtime.
 */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { checkPackage as checkTypes, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root } from "../../scripts/examples.mjs"
import { findRuntime, runtimeNames } from "../../scripts/runtimes.mjs"
import { startWorker } from "../support/workerd.ts"

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const windows = process.platform === "win32"

const npm = (args: ReadonlyArray<string>, cwd: string) =>
  run("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd, shell: windows })

const runtime = (name: (typeof runtimeNames)[number]): string => {
  const program = findRuntime(name, root)
  if (program === undefined) throw new Error(`${name} is not here`)
  return program
}

/** How each runtime runs a file, with all permissions. */
const start: Readonly<Record<(typeof runtimeNames)[number], (file: string) => readonly [string, Array<string>]>> = {
  deno: (file) => [runtime("deno"), ["run", "-A", "--quiet", file]],
  bun: (file) => [runtime("bun"), [file]],
  node: (file) => [runtime("node"), [file]],
}

const published = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
const subpaths = Object.keys(published.exports)
  .filter((subpath) => subpath !== "./package.json")
  .map((subpath) => `${published.name}${subpath.slice(1)}`)
/** Subpaths that load nothing optional but Effect, and do something only when they are asked to. */
const plain = subpaths.filter((name) => !/\/(http|console|cli|(?:journal|database)\/postgres)$/.test(name))
const effect = `effect@${published.devDependencies.effect}`
const tsc = join(require.resolve("typescript/package.json"), "..", "bin", "tsc")

/** An empty strict project, without types of a runtime. */
const strictOptions = {
  target: "ES2023",
  module: "NodeNext",
  lib: ["ESNext", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
}

/** A project with Effect, one without any package but this one, and where the package is. */
let folder = ""
let alone = ""
let edgeFolder = ""
let tarball = ""
let files: ReadonlyArray<string> = []

const makeProject = async (dependencies: Readonly<Record<string, string>> = {}): Promise<string> => {
  const project = await mkdtemp(join(tmpdir(), "sluice-project-"))
  projects.push(project)
  const manifest = { name: "empty", private: true, type: "module", dependencies }
  await writeFile(join(project, "package.json"), JSON.stringify(manifest))
  return project
}
const projects: Array<string> = []

beforeAll(async () => {
  folder = await makeProject()
  const { stdout } = await npm(["pack", "--json", "--pack-destination", folder], root)
  const [packed] = Object.values<{ filename: string; files: Array<{ path: string }> }>(JSON.parse(stdout))
  if (packed === undefined) throw new Error("npm packed nothing")
  files = packed.files.map(({ path }) => path)
  tarball = join(folder, packed.filename)
  await npm(["install", "--prefer-offline", tarball, effect], folder)
  edgeFolder = await makeProject()
  const hono = `hono@${published.devDependencies.hono}`
  await npm(["install", "--prefer-offline", tarball, effect, hono, "esbuild"], edgeFolder)
  alone = await makeProject()
  await npm(["install", "--prefer-offline", tarball], alone)
}, 400_000)

afterAll(() => Promise.all(projects.map((project) => rm(project, { recursive: true, force: true }))))

// Within a part, tests run several at once: most of them wait for one process.
describe("the npm package", () => {
  it.concurrent("holds bundled modules with their types, the command line and its launcher, and no development files", () => {
    for (
      const file of ["run.js", "cli/main.js", "needs-effect-4/mod.js", "types/mod.d.ts", "THIRD_PARTY_LICENSES.txt"]
    ) {
      expect(files).toContain(`dist/${file}`)
    }
    const strange = files.filter((file) =>
      !/^dist\/(run\.js|run\/[^/]+\.js|cli\/[^/]+\.js|cli\/session\.ndjson|needs-effect-4\/.+\.js|types\/.+\.d\.ts|THIRD_PARTY_LICENSES\.txt)$|^docs\/([\w-]+\.md|demo\.svg|speed\/\w+\.svg)$/
        .test(
          file,
        ) &&
      ![
        "LICENSE",
        "README.md",
        "AGENTS.md",
        "llms.txt",
        "CHANGELOG.md",
        "package.json",
        "scripts/sluice.mjs",
        "scripts/runtimes.mjs",
      ]
        .includes(file)
    )
    expect(strange).toEqual([])
  })

  it.concurrent("contains the guides, and the files that they and the README link to", async () => {
    const pages = files.filter((file) => /^docs\/[^/]+\.md$/.test(file))
    expect(pages).toContain("docs/index.md")
    const installed = join(folder, "node_modules", published.name)
    const broken: Array<string> = []
    for (const page of [...pages, "README.md"]) {
      const text = await readFile(join(installed, page), "utf8")
      for (const [, link = ""] of text.matchAll(/\]\(([^)\s#]+)/g)) {
        const inRepository = link.split("/blob/main/docs/")[1]
        const target = inRepository === undefined ? new URL(link, `file:///${page}`) : `docs/${inRepository}`
        if (target instanceof URL && target.protocol !== "file:") continue
        const file = target instanceof URL ? target.pathname.slice(1) : target
        if (!files.includes(file)) broken.push(`${page}: ${link}`)
      }
    }
    expect(broken).toEqual([])
  })

  it.concurrent("has types that every modern resolution finds", async () => {
    const problems = await checkTypes(createPackageFromTarballData(await readFile(tarball)))
    // An ES module has no types for require() and for resolutions that do not know `exports`.
    const modern = "problems" in problems
      ? problems.problems.filter((problem) =>
        !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(problem.resolutionKind))
      )
      : ["no types"]
    expect(modern).toEqual([])
  })

  it.concurrent("passes publint", async () => {
    const { messages } = await publint({ pkgDir: root, strict: true })
    expect(messages).toEqual([])
  })

  it.concurrent("has one dependency, for regular expressions of searches, and takes less than 9.5 MB without its guides", async () => {
    const lock = JSON.parse(await readFile(join(alone, "package-lock.json"), "utf8"))
    expect(Object.keys(lock.packages)).toEqual(["", "node_modules/@sluice/shell", "node_modules/re2js"])
    if (windows) return
    // As `du -h` counts: 1 M is 1,024 K.
    const kilobytes = async (place: string): Promise<number> =>
      Number.parseInt((await run("du", ["-sk", join(alone, "node_modules/@sluice/shell", place)])).stdout)
    const guides = await kilobytes("docs")
    expect(guides).toBeLessThan(560)
    expect(await kilobytes(".") - guides).toBeLessThan(9_728)
  })

  it.concurrent("loads the command line after the compile cache is on, and without async hooks", async () => {
    const main = await readFile(join(alone, "node_modules/@sluice/shell/dist/cli/main.js"), "utf8")
    expect(main).not.toMatch(/^import\b|\bfrom"/m)
    expect(main).toMatch(/import\([`"]\.\/runCli/)
  })

  it.concurrent("starts the command line without a built-in module of Node, which is slow on Deno", async () => {
    const folder = join(alone, "node_modules/@sluice/shell/dist/cli")
    const [, first = ""] = /import\([`"]\.\/(runCli[^`"]+)/.exec(await readFile(join(folder, "main.js"), "utf8")) ?? []
    const loaded = new Set([first])
    const others: Array<string> = []
    for (const file of loaded) {
      for (const [, name = ""] of (await readFile(join(folder, file), "utf8")).matchAll(/\bfrom"([^"]+)"/g)) {
        if (name.startsWith("./")) loaded.add(name.slice(2))
        else others.push(name)
      }
    }
    expect(loaded.size).toBeGreaterThan(1)
    expect(others).toEqual([])
  })

  it.concurrent("has the licence of everything that is inside it", async () => {
    const text = await readFile(join(alone, "node_modules/@sluice/shell/dist/THIRD_PARTY_LICENSES.txt"), "utf8")
    for (const name of ["effect", "hono", "yaml", "@noble/hashes"]) {
      expect(text).toMatch(new RegExp(`^${name} \\d`, "m"))
    }
    expect(text).toContain("Effectful Technologies")
  })

  it.concurrent("has no script that npm would run at its installation", async () => {
    const { scripts } = JSON.parse(await readFile(join(alone, "node_modules/@sluice/shell/package.json"), "utf8"))
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([])
  })

  it.concurrent("is installed beside the newest AI SDK without a conflict", async () => {
    const project = await makeProject({ "ai": "^7.0.0", "@ai-sdk/openai": "^4.0.0" })
    await npm(["install", "--prefer-offline", tarball], project)
    expect(await runModule("node", script, project)).toBe("git is here, exit 3\n")
  })

  it.concurrent("is refused by npm beside Effect 3, unless asked to; then its script face works there", async () => {
    const project = await makeProject({ "effect": "^3.0.0" })
    const install = ["install", "--prefer-offline", tarball]
    const refused = await npm(install, project).catch((error: { stderr: string }) => error)
    expect(refused).toMatchObject({
      stderr: expect.stringMatching(/ERESOLVE[^]*Found: effect@3\.[^]*effect@"\^4\.1\.0"/),
    })
    await npm([...install, "--legacy-peer-deps"], project)
    for (const name of runtimeNames) expect(await runModule(name, script, project)).toBe("git is here, exit 3\n")
  })

  it.concurrent("is installed beside Effect 3 by Bun, and its script face works there", async () => {
    const project = await makeProject({ "effect": "^3.0.0" })
    await run(runtime("bun"), ["add", tarball], { cwd: project })
    expect(await runModule("bun", script, project)).toBe("git is here, exit 3\n")
  })

  it.concurrent("is bundled for a browser: no module imports a built-in of a runtime when it is loaded", async () => {
    const input = join(folder, "browser.mjs")
    const modules = plain.map((name, index) => `import * as module${index} from "${name}"`)
    await writeFile(input, [...modules, `globalThis.all = [${plain.map((_, index) => `module${index}`)}]`].join("\n"))
    const bundle = await rolldown({ input, platform: "browser", logLevel: "silent" })
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
    await bundle.close()
    expect(output.flatMap((chunk) => chunk.type === "chunk" ? chunk.imports : [])).toEqual([])
  })

  describe.each(["sandbox", "http", "remote"])("for an edge isolate, /%s", (subpath) => {
    const worker: Readonly<Record<string, string>> = {
      sandbox: `import { Sandbox } from "@sluice/shell/sandbox"
const sandbox = await Sandbox.open({ files: { "in.txt": "b\\na\\nb\\n" } })
const { stdout } = await sandbox.run("sort -u in.txt")
return stdout.replaceAll("\\n", " ").trim()`,
      http: `import { shellRoutes } from "@sluice/shell/http"
return typeof shellRoutes`,
      remote: `import { RemoteShell } from "@sluice/shell/remote"
import { Shell, ShellExec } from "@sluice/shell"
import { Effect } from "effect"
const layer = RemoteShell.layer({ url: "http://127.0.0.1:1", token: "t", reconnectTimeout: "10 millis" })
const fault = await Effect.runPromise(Effect.flip(Effect.provide(Shell.run(ShellExec.make("true")), layer)))
return fault._tag`,
    }
    const answers: Readonly<Record<string, string>> = { sandbox: "a b", http: "function", remote: "ShellFault" }

    beforeAll(async () => {
      const lines = (worker[subpath] ?? "").split("\n")
      const body = lines.filter((line) => !line.startsWith("import ")).join("\n")
      const imports = lines.filter((line) => line.startsWith("import ")).join("\n")
      await writeFile(
        join(edgeFolder, `${subpath}.js`),
        `${imports}\nexport default { fetch: async () => new Response(await (async () => {\n${body}\n})()) }\n`,
      )
    })

    const answerOf = async (file: string): Promise<string> => {
      const edge = await startWorker(await readFile(join(edgeFolder, file), "utf8"))
      try {
        return await (await fetch(edge.url)).text()
      } finally {
        await edge.close()
      }
    }

    it.concurrent("is one file by the line of the guide, and runs there", async () => {
      const guide = await readFile(join(root, "docs/remote-and-edge.md"), "utf8")
      const [, options = ""] = /^npx esbuild worker\.js (.*)dist\/worker\.js$/m.exec(guide) ?? []
      const esbuild = join(edgeFolder, "node_modules/.bin", windows ? "esbuild.cmd" : "esbuild")
      await run(esbuild, [`${subpath}.js`, ...`${options}${subpath}-worker.js`.split(" ")], {
        cwd: edgeFolder,
        shell: windows,
      })
      expect(await answerOf(`${subpath}-worker.js`)).toBe(answers[subpath])
    })

    // A worker that imports all of `@sluice/shell` stays several files: its chunks import modules later.
    it.skipIf(subpath === "remote")("is one file by rolldown, and runs there", { concurrent: true }, async () => {
      const cli = join(require.resolve("rolldown/package.json"), "..", "bin/cli.mjs")
      const options = ["--platform", "browser", "--format", "esm", "--no-codeSplitting"]
      await run(process.execPath, [cli, `${subpath}.js`, ...options, "--file", `${subpath}-rolldown.js`], {
        cwd: edgeFolder,
      })
      expect(await answerOf(`${subpath}-rolldown.js`)).toBe(answers[subpath])
    })
  })

  it.concurrent("has types that an empty strict project understands, and no type of a runtime is needed for them", async () => {
    await writeFile(
      join(folder, "types.ts"),
      [
        ...plain.map((name, index) => `import * as module${index} from "${name}"`),
        `import { Shell, ShellExec, type ShellFault, type ShellOutput, type ShellOutputChunk } from "@sluice/shell"`,
        `import type { Stream } from "effect"`,
        `export const events: Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault, Shell> =`,
        `  Shell.exec(ShellExec.make("git", ["log"]))`,
        `export const modules: ReadonlyArray<object> = [${plain.map((_, index) => `module${index}`).join(", ")}]`,
      ].join("\n"),
    )
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: strictOptions, include: ["types.ts"] }),
    )
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe("")
  })
})

let modules = 0

/** Runs a text as a module of a project; answers with what it printed. */
const runModule = async (
  name: (typeof runtimeNames)[number],
  code: string,
  project: string = folder,
): Promise<string> => {
  const file = join(project, `module-${modules++}.mjs`)
  await writeFile(file, code)
  const [program, args] = start[name](file)
  return (await run(program, args, { cwd: project })).stdout
}

const script = `
import { $, run, secret, shell, within } from "@sluice/shell/run"
const version = await within({ env: { A: "1" } }, () => shell\`git --version; echo \${secret("x")} >&2\`.text())
const failure = await run("sh", ["-c", "exit 3"], { timeout: "1m30s" }).catch((error) => error)
console.log(version.startsWith("git version ") ? "git is here," : version, "exit", failure.exitCode)
`

describe("without Effect", () => {
  it.concurrent.each(runtimeNames)("the script face works on %s", async (name) => {
    expect(await runModule(name, script, alone)).toBe("git is here, exit 3\n")
  })

  it.concurrent("the script face is imported on Deno without `process`, which loads Node's modules", async () => {
    const code = `
Object.defineProperty(globalThis, "process", { configurable: true, get: () => console.log("process") })
const { run } = await import("@sluice/shell/run")
console.log(typeof run)`
    expect(await runModule("deno", code, alone)).toBe("function\n")
  })

  it.concurrent.each(runtimeNames)("errors of the script face have the names of their classes on %s", async (name) => {
    const code = `
import { OptionError, ShellExitError, ShellFault, TemplateError } from "@sluice/shell/run"
console.log([OptionError, ShellExitError, ShellFault, TemplateError].map(({ name }) => name).join(" "))`
    expect(await runModule(name, code, alone)).toBe("OptionError ShellExitError ShellFault TemplateError\n")
  })

  it.concurrent.each(runtimeNames)("the command line works on %s", async (name) => {
    const program = join(alone, "node_modules", ".bin", windows ? "sluice.cmd" : "sluice")
    const PATH = [join(runtime(name), ".."), process.env["PATH"]].join(delimiter)
    const options = { cwd: alone, shell: windows, env: { ...process.env, SLUICE_RUNTIME: name, PATH } }
    const { stdout } = await run(program, ["run", "--", "git", "--version"], options)
    expect(stdout).toMatch(/^git version /)
  })

  it.concurrent.each(["./run", "./cli"])("%s says on an older Node which one it needs", async (subpath) => {
    const code = `
delete Promise.withResolvers // new in Node 22
const error = await import("@sluice/shell/${subpath.slice(2)}").catch((error) => error)
console.log(error.message)
process.exit()`
    expect(await runModule("node", code, alone))
      .toBe(
        `@sluice/shell needs Node 22.19 or newer (this is ${
          (await runModule("node", "console.log(process.version)", alone)).trim()
        }), Deno 2 or Bun\n`,
      )
  })

  it.concurrent.each(runtimeNames)("the other modules report on %s that they need Effect", async (name) => {
    const failure = await runModule(name, `import "@sluice/shell"`, alone).catch((error: { stderr: string }) => error)
    expect(failure).toMatchObject({ stderr: expect.stringMatching(/'effect[^]*needs-effect-4/) })
  })

  it.concurrent.each(["bun", "node"] as const)(
    "an error that nothing catches is seen on %s, and not a wall of code",
    async (name) => {
      const code = `import { Shell, ShellExec, LocalShell } from "@sluice/shell"
import * as Effect from "effect/Effect"
await Effect.runPromise(Effect.provide(Shell.run(ShellExec.make("no-such-program")), LocalShell.layer))`
      const failure = await runModule(name, code, folder).catch((error: { stderr: string }) => error)
      const { stderr } = Object(failure)
      expect(stderr).toContain("exec: no-such-program not found in PATH (ENOENT)")
      expect(Math.max(...stderr.split("\n").map((line: string) => line.length))).toBeLessThan(1_000)
    },
  )

  it.concurrent("a strict project understands the types of the script face, and checks the types of libraries, too", async () => {
    await writeFile(
      join(alone, "types.ts"),
      `
import "@sluice/shell/cli"
import { $, type LazyCommand, Runner, run, type RunResult, secret, ShellExitError, ShellFault } from "@sluice/shell/run"
const command: LazyCommand = run("git", ["log", 3, new URL("file:///x")], { timeout: "1m30s", env: { T: secret("x") } })
const zip = new CompressionStream("gzip")
export const result: RunResult = await Runner.make({ check: [0, 1] }).$({ stdout: zip.writable })\`git \${["a", 1]}\`
try {
  await command
} catch (error) {
  if (error instanceof ShellExitError) console.log(error.exitCode, error.output.stderr)
  if (error instanceof ShellFault && error.reason._tag === "Timeout") console.log(error.reason.afterMillis)
}
`,
    )
    const settings = { compilerOptions: { ...strictOptions, skipLibCheck: false }, include: ["types.ts"] }
    await writeFile(join(alone, "tsconfig.json"), JSON.stringify(settings))
    const { stdout } = await run(process.execPath, [tsc, "-p", alone]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe("")
  })
})

it("exports the public names of its sources, and no other", async () => {
  const sources: Readonly<Record<string, string>> = JSON.parse(await readFile(join(root, "deno.json"), "utf8")).exports
  const names = async (modules: Readonly<Record<string, string>>, project: string): Promise<unknown> =>
    JSON.parse(
      await runModule(
        "deno",
        `const names = {}
for (const [name, module] of Object.entries(${JSON.stringify(modules)})) names[name] = Object.keys(await import(module))
console.log(JSON.stringify(names))`,
        project,
      ),
    )
  const file = (name: string) => pathToFileURL(join(root, sources[name.replace(published.name, ".")] ?? "")).href
  const packed = await names(Object.fromEntries(plain.map((name) => [name, name])), folder)
  expect(packed).toEqual(await names(Object.fromEntries(plain.map((name) => [name, file(name)])), folder))
})

describe.each(runtimeNames)("in an empty project on %s, the package", (name) => {
  // A process of each on Node, which starts fastest: a module loads without another before it. The others load all in one.
  it.concurrent.each(name === "node" ? plain.map((subpath) => [subpath]) : [plain])(
    "exports something at %s",
    async (...subpaths) => {
      const code = `for (const subpath of ${JSON.stringify(subpaths)}) {
  console.log(Object.keys(await import(subpath)).length)
}`
      const counts = (await runModule(name, code)).trim().split("\n").map(Number)
      expect(counts).toHaveLength(subpaths.length)
      expect(Math.min(...counts)).toBeGreaterThan(0)
    },
  )

  it.concurrent("runs a command", async () => {
    const code = `
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { Effect, Stream } from "effect"
const command = ShellExec.make("git", ["--version"], { streamOutput: false })
const [output] = await Effect.runPromise(
  Shell.exec(command).pipe(Stream.runCollect, Effect.provide(LocalShell.layer))
)
console.log(JSON.stringify(output))
`
    const output = JSON.parse(await runModule(name, code))
    expect(output).toMatchObject({ _tag: "ShellOutput", exitCode: 0 })
    expect(output.stdout).toMatch(/^git version /)
  })
})

describe("the installed command line", () => {
  const sluice = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    run(join(folder, "node_modules", ".bin", windows ? "sluice.cmd" : "sluice"), [...args], {
      cwd: folder,
      shell: windows,
      env: { ...process.env, ...env },
    })

  it.concurrent.each(runtimeNames)("runs a command on %s", async (name) => {
    const env = { SLUICE_RUNTIME: name, PATH: [join(runtime(name), ".."), process.env["PATH"]].join(delimiter) }
    const { stderr, stdout } = await sluice(["run", "--json", "--", "git", "--version"], env)
    const tags = stdout.trim().split("\n").map((line) => JSON.parse(line)._tag)
    expect([tags, stderr]).toEqual([["ShellOutputChunk", "ShellOutput"], ""])
  })

  it.concurrent("ends as the command ended", async () => {
    const failure = await sluice(["run", "--", "git", "no-such-command"], {}).catch((error: { code: number }) => error)
    expect(failure).toMatchObject({ code: 1 })
  })

  it.concurrent.each(runtimeNames)("shows the recorded session of the package on %s", async (name) => {
    const { stderr, stdout } = await sluice(["demo"], { SLUICE_RUNTIME: name })
    expect([stderr, stdout]).toEqual(["", expect.stringContaining("All tests pass.")])
    const [, id = "", path = ""] = /journal show (\S+) --journal (\S+)/.exec(stdout) ?? []
    expect(path).toMatch(/node_modules.@sluice.shell.dist.cli.session\.ndjson$/)
    expect((await sluice(["journal", "show", id, "--journal", path], {})).stdout).toContain("ShellExec node test.mjs")
  })

  it.concurrent("says which version it is", async () => {
    expect((await sluice(["--version"], {})).stdout).toContain(published.version)
  })
})

describe("beside Hono", () => {
  beforeAll(() => npm(["install", "--prefer-offline", `hono@${published.devDependencies.hono}`], folder), 60_000)

  it.concurrent.each(runtimeNames)("the routes of the package run commands on %s", async (name) => {
    const code = `
import { LocalShell } from "@sluice/shell"
import { shellRoutes } from "@sluice/shell/http"
const routes = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
const response = await routes.request("/exec", {
  method: "POST",
  headers: { "authorization": "Bearer s3cret", "content-type": "application/json" },
  body: JSON.stringify({ command: "git", arguments: ["--version"] }),
})
console.log(JSON.stringify({ status: response.status, output: await response.json() }))
await routes.dispose()
`
    expect(JSON.parse(await runModule(name, code))).toMatchObject({ status: 200, output: { exitCode: 0 } })
  })

  it.concurrent.each(runtimeNames)("the console of the package is a page on %s", async (name) => {
    const code = `
import { consoleRoutes } from "@sluice/shell/http/console"
const response = await consoleRoutes().request("/console.js")
console.log(JSON.stringify({ status: response.status, length: (await response.text()).length }))
`
    const { length, status } = JSON.parse(await runModule(name, code))
    expect(status).toBe(200)
    expect(length).toBeGreaterThan(100_000)
  })

  it.concurrent.each(runtimeNames)("the tools of the package are available to agents on %s", async (name) => {
    const code = `
import { LocalShell } from "@sluice/shell"
import { mcpRoutes } from "@sluice/shell/mcp/http"
const routes = mcpRoutes({ layer: LocalShell.layer, unauthenticated: true })
const response = await routes.request("http://localhost/mcp", {
  method: "POST",
  headers: { "content-type": "application/json", "accept": "application/json, text/event-stream" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1" } },
  }),
})
const { result } = await response.json()
console.log(JSON.stringify([response.status, Object.keys(result.capabilities)]))
await routes.dispose()
`
    expect(JSON.parse(await runModule(name, code))).toEqual([200, expect.arrayContaining(["tools"])])
  })
})

describe("the JSR package", () => {
  it.concurrent("passes the dry run: no slow type, no file that is missing", async () => {
    // The step `types` has checked the types.
    const { stderr } = await run(runtime("deno"), ["publish", "--dry-run", "--allow-dirty", "--no-check"], {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1" },
    })
    expect(stderr).toMatch(/Success Dry run complete/)
    expect(stderr).toContain("src/cli/demo/session.ndjson")
  })
})

describe("beside Effect's client for PostgreSQL", () => {
  const client = `@effect/sql-pg@${published.devDependencies["@effect/sql-pg"]}`

  beforeAll(() => npm(["install", "--prefer-offline", client], folder), 60_000)

  it.concurrent.each(runtimeNames)("the journal of the package reports on %s that there is no server", async (name) => {
    const code = `
import { PostgresJournal } from "@sluice/shell/journal/postgres"
import { Effect } from "effect"
const options = { host: "127.0.0.1", port: 1, database: "none", username: "none", reconnectTimeout: 0 }
const error = await Effect.runPromise(Effect.flip(Effect.scoped(PostgresJournal.make(options))))
console.log(error._tag, error.reason._tag)
`
    expect(await runModule(name, code)).toBe("JournalError Unavailable\n")
  })
})
