/** Implements the `rg` utility. */
import { binaryToText } from "../../binaryString.ts"
import { FileType } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { FileFinder, type FoundFile, typesOf } from "./findFiles.ts"
import { RgPattern } from "./RgPattern.ts"
import { RgPrinter } from "./RgPrinter.ts"
import { type FileResult, RgSearch } from "./RgSearch.ts"

const spec = "A|after-context: B|before-context: C|context: F|fixed-strings H|with-filename I|no-filename L|follow " +
  "N|no-line-number S|smart-case T|type-not: U|multiline a|text b|byte-offset c|count e|regexp: f|file: g|glob: " +
  "hidden|. i|ignore-case l|files-with-matches m|max-count: n|line-number o|only-matching q|quiet r|replace: " +
  "s|case-sensitive t|type: u|unrestricted v|invert-match w|word-regexp x|line-regexp 0|null column color: " +
  "count-matches files files-without-match heading no-heading iglob: json max-depth|d: no-ignore no-ignore-dot " +
  "no-ignore-vcs no-messages sort: trim type-add: type-list vimgrep"

/** `rg [OPTION]... PATTERN [PATH]...`: searches trees for lines that match. Source: rg(1), ripgrep 13. */
export const rg: Program = defineUtility("rg", spec, async (io) => {
  refuseOptions(io)
  io.showsWarnings = !io.has("no-messages")
  if (io.has("type-list")) {
    for (const [name, globs] of typesOf(io)) io.print(`${name}: ${globs.join(", ")}\n`)
    return 0
  }
  const operands = [...io.operands]
  const patterns = io.has("files") ? [] : await readPatterns(io, operands)
  const paths = operands.length > 0 ? operands : [io.has("files") || !isStdinReadable(io) ? "" : "-"]
  const finder = new FileFinder(io)
  if (io.has("files")) return await listFiles(io, finder, paths)
  const showsMatches = ["o", "r", "json", "column", "vimgrep", "count-matches"].some((option) => io.has(option))
  const pattern = new RgPattern(io, patterns, showsMatches)
  const named = io.lastOf("H", "I")?.[0]
  const isOne = paths.length === 1 && (paths[0] === "-" || (paths[0] !== "" && !io.isDirectory(paths[0] ?? "")))
  const showsPath = named === undefined ? !isOne : named === "H"
  const printer = new RgPrinter(io, showsPath)
  const search = new RgSearch(io, pattern, printer, showsMatches)
  search.showsPath = showsPath
  let isFound = false
  let hasFailed = false
  for await (const file of finder.find(paths)) {
    const label = file.path === "-" ? "<stdin>" : file.path
    const result = await search.search(file, label)
    if (result === undefined) hasFailed = true
    else if (result !== "binary") isFound = report(io, showsPath, label, result) || isFound
    if (isFound && io.has("q")) return 0
    if (io.out.isFull) await io.out.flush()
  }
  printer.finish()
  return hasFailed || finder.failed ? 2 : isFound ? 0 : 1
}, {
  errorExitCode: 2,
  withoutEffect: { "j|threads:": "there is one thread", "no-config": "no file of configuration is read" },
})

const refuseOptions = (io: UtilityIo): void => {
  const color = io.value("color") ?? "never"
  if (color !== "never" && color !== "auto") io.fail(`--color ${color} is not supported: output has no colors`)
  const sort = io.value("sort") ?? "path"
  if (sort !== "path" && sort !== "none") io.fail(`--sort ${sort} is not supported: files are sorted by path`)
}

const readPatterns = async (io: UtilityIo, operands: Array<string>): Promise<ReadonlyArray<string>> => {
  const patterns = [...io.values("e")]
  for (const file of io.values("f")) {
    const input = io.openInput(file)
    if (input === undefined) return io.exit(2)
    await io.forEachLine([input], (line) => void patterns.push(binaryToText(line)))
    input.close()
  }
  if (io.has("e") || io.has("f")) return patterns
  return [operands.shift() ?? io.fail("the following required arguments were not provided:\n    <PATTERN>")]
}

/** Whether standard input is a file or a pipe, which is then searched if no path is given. */
const isStdinReadable = (io: UtilityIo): boolean => {
  const stat = io.system.fstat(0)
  return typeof stat === "object" && (stat.type === FileType.regularFile || stat.type === FileType.unknown)
}

const listFiles = async (io: UtilityIo, finder: FileFinder, paths: ReadonlyArray<string>): Promise<number> => {
  let isFound = false
  for await (const { path } of finder.find(paths)) {
    isFound = true
    if (io.has("q")) return 0
    io.print(path + (io.has("0") ? "\0" : "\n"))
    if (io.out.isFull) await io.out.flush()
  }
  return finder.failed ? 2 : isFound ? 0 : 1
}

/** Prints the output that appears once per file. Returns whether the file counts as found. */
const report = (
  io: UtilityIo,
  showsPath: boolean,
  label: FoundFile["path"],
  { lines, matches }: FileResult,
): boolean => {
  if (io.has("q") || io.has("json")) return lines > 0
  const end = io.has("0") ? "\0" : "\n"
  if (io.has("files-without-match")) {
    if (lines === 0) io.print(label + end)
    return lines === 0
  }
  if (lines > 0 && io.has("l")) io.print(label + end)
  else if (lines > 0 && (io.has("c") || io.has("count-matches"))) {
    const counts = io.has("count-matches") || io.has("o") ? matches : lines
    io.print(`${showsPath ? label + (io.has("0") ? "\0" : ":") : ""}${counts}\n`)
  }
  return lines > 0
}
