/** Implements the `js-exec` program: its options, and scripts from arguments, files and standard input. */
import { concatBytes, encodeUtf8 } from "../../../base/bytes.ts"
import { quoteIfNeeded } from "../../../base/quote.ts"
import { errnoText } from "../../Errno.ts"
import { findJspi } from "../../process/jspi.ts"
import type { Program, System } from "../../System.ts"
import { baseName, resolvePath } from "../../utilities/shared/paths.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { loadEngine } from "./loadEngine.ts"
import { hasModuleSyntax, moduleKind, withMeta } from "./scriptModules.ts"
import { Script, ScriptExit } from "./Script.ts"

/** The version that `process.version` gives: the interfaces are those of it. */
const version = "v24.0.0"
/** Bytes of a script. */
const maxScriptBytes = 16_777_216
/** Memory of an engine, unless the sandbox gives less. */
const maxEngineBytes = 134_217_728

const help = `Usage: js-exec [OPTION]... [-c CODE | FILE | -] [ARGUMENT]...
Run JavaScript in an engine of its own, with files and HTTP of the sandbox. Without CODE and FILE, run standard input.

  -c, -e, --eval CODE   run CODE; it may use await, import and require
  -p, --print CODE      run CODE and print its result
  -m, --module          run an ES module: a .mjs file is one, and so is a .js file with import or export
  -V, -v, --version     print the version of Node whose interfaces are there
  -h, --help            print this help
`

interface Options {
  readonly code: string | undefined
  readonly prints: boolean
  readonly isModule: boolean
  readonly operands: ReadonlyArray<string>
  readonly shows: "help" | "version" | undefined
}

const parse = (name: string, args: ReadonlyArray<string>): Options => {
  let [code, prints, isModule, shows]: [string | undefined, boolean, boolean, Options["shows"]] = [
    undefined,
    false,
    false,
    undefined,
  ]
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (!arg.startsWith("-") || arg === "-") break
    if (arg === "--") {
      at++
      break
    }
    const value = (): string => {
      const next = args[++at]
      if (next === undefined) throw new UtilityExit(9, `${arg} requires an argument`)
      return next
    }
    // node checks a file with -c.
    if (arg === "-e" || arg === "--eval" || arg === "-c" && name !== "node") code = value()
    else if (arg.startsWith("--eval=")) code = arg.slice(7)
    else if (arg === "-p" || arg === "--print" || arg === "-pe") {
      code = value()
      prints = true
    } else if (arg === "-m" || arg === "--module" || arg === "--input-type=module") isModule = true
    else if (arg === "--input-type=commonjs") isModule = false
    else if (arg === "-h" || arg === "--help") shows = "help"
    else if (arg === "-V" || arg === "-v" || arg === "--version") shows = "version"
    else throw new UtilityExit(9, `bad option: ${quoteIfNeeded(arg)}; see ${name} --help`)
  }
  return { code, prints, isModule, shows, operands: args.slice(at) }
}

const readText = async (system: System, fd: number, path: string): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const into = new Uint8Array(65_536)
    const count = await system.read(fd, into)
    if (count < 0) throw new UtilityExit(1, `cannot read ${quoteIfNeeded(path)}: ${errnoText(count)}`)
    if (count === 0) return new TextDecoder().decode(concatBytes(parts))
    parts.push(into.subarray(0, count))
    length += count
    if (length > maxScriptBytes) {
      throw new UtilityExit(1, `cannot run ${quoteIfNeeded(path)}: it has more than ${maxScriptBytes} bytes`)
    }
  }
}

const readFile = async (system: System, name: string): Promise<readonly [path: string, text: string]> => {
  if (/\.[cm]?tsx?$/.test(name)) {
    throw new UtilityExit(1, `cannot run ${quoteIfNeeded(name)}: it is TypeScript; compile it to JavaScript first`)
  }
  const path = resolvePath(system, name, "none")
  const fd = typeof path === "number" ? path : system.open(path, { read: true })
  if (fd < 0 || typeof path === "number") {
    throw new UtilityExit(1, `cannot open ${quoteIfNeeded(name)}: ${errnoText(fd)}`)
  }
  try {
    return [path, await readText(system, fd, name)]
  } finally {
    system.close(fd)
  }
}

/** Runs what the options name. Returns the exit code. */
const run = async (system: System, options: Options, name: string): Promise<number> => {
  const [file, ...rest] = options.operands
  const isFile = options.code === undefined && file !== undefined && file !== "-"
  const [path, text] = isFile
    ? await readFile(system, file)
    : options.code === undefined
    ? ["[stdin]", await readText(system, 0, "standard input")] as const
    : ["[eval]", options.code] as const
  const argv = [
    name,
    ...isFile ? [path, ...rest] : options.code === undefined && file === "-" ? options.operands : options.operands,
  ]
  const maxBytes = Math.min(maxEngineBytes, system.maxValueBytes)
  const script = await Script.make(system, await loadEngine(), await findJspi(), maxBytes, { argv, version })
  try {
    const kind = options.isModule ? "module" : isFile ? moduleKind(system, path) : undefined
    const isModule = kind === "module" ||
      kind === undefined && (hasModuleSyntax(text) || /\bawait\b/.test(text)) && !await script.compiles(text)
    if (isModule) {
      return await script.finish(await script.runModule(path, withMeta(isFile ? path : `${system.cwd}/${path}`, text)))
    }
    if (isFile) await script.runCommonJs(path, text)
    else await script.runText(path, text, options.prints)
    return await script.finish()
  } catch (cause) {
    await script.flush()
    throw cause
  }
}

/** The exit code and the message of an error that ends a run; `undefined` for other errors. */
const endOf = (cause: unknown): readonly [exitCode: number, message: string] | undefined => {
  if (cause instanceof ScriptExit) return [cause.exitCode, ""]
  if (cause instanceof UtilityExit) return [cause.exitCode ?? 1, cause.message]
  // The engine's own limit is reached first but for values that native code walks.
  if (cause instanceof RangeError) return [1, "the script nests calls or values too deeply"]
  if (cause instanceof WebAssembly.RuntimeError) return [1, `the JavaScript engine failed: ${cause.message}`]
  return undefined
}

/** `js-exec [OPTION]... [-c CODE | FILE] [ARGUMENT]...`: runs JavaScript. */
export const jsExec: Program = async (system) => {
  const name = baseName(system.args[0] ?? "js-exec")
  try {
    const options = parse(name, system.args.slice(1))
    if (options.shows !== undefined) {
      await system.writeAll(1, encodeUtf8(options.shows === "help" ? help.replaceAll("js-exec", name) : `${version}\n`))
      return 0
    }
    return await run(system, options, system.args[0] ?? name)
  } catch (cause) {
    const end = endOf(cause)
    if (end === undefined) throw cause
    if (end[1] !== "") await system.writeAll(2, encodeUtf8(`${name}: ${end[1]}\n`))
    return end[0]
  }
}
