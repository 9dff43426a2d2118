/** Implements the `patch` utility. */
import { textToBinary } from "../../binaryString.ts"
import { Errno } from "../../Errno.ts"
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { Output } from "../shared/Output.ts"
import { baseName, dirName, joinPath, resolvePath } from "../shared/paths.ts"
import { HunkApplier, reverseHunk } from "./applyHunks.ts"
import { formatRejects } from "./formatRejects.ts"
import { type FilePatch, parsePatch, PatchFormatError, type PatchHunk } from "./parsePatch.ts"

const spec =
  "p|strip: R|reverse o|output: i|input: dry-run N|forward s|quiet|silent b|backup z|suffix: r|reject-file: " +
  "F|fuzz: d|directory: E|remove-empty-files f|force t|batch l|ignore-whitespace " +
  "no-backup-if-mismatch"

/**
 * `patch [-p NUM] [-RNsbEflt] [-i PATCH] [-o FILE] [--dry-run] [FILE [PATCH]]`: applies diffs to files. Source:
 * patch(1).
 */
export const patch: Program = defineUtility("patch", spec, async (io) => {
  const directory = io.value("d")
  const path = io.value("i") ?? io.operands[1] ?? "-"
  const input = io.openInput(path)
  if (input === undefined) return io.exit(2)
  const lines = await io.readLines(input)
  input.close()
  if (directory !== undefined) {
    const changed = io.system.changeDirectory(directory)
    if (changed < 0) io.fail(`**** Can't change to directory ${directory}`, changed)
  }
  let hasFailed = false
  let count = 0
  try {
    for (const file of parsePatch(lines)) {
      await io.flushAndYield()
      if (file === undefined) continue
      count++
      hasFailed = !await new Patcher(io, file).run() || hasFailed
    }
  } catch (cause) {
    if (cause instanceof PatchFormatError) return io.fail(`**** ${cause.message.replace(/\n$/, "")}`)
    throw cause
  }
  if (count === 0 && lines.length > 0) io.fail("**** Only garbage was found in the patch input.")
  return hasFailed ? 1 : 0
}, {
  errorExitCode: 2,
  maxOperands: 2,
  withoutEffect: { "u|unified": "the form of a diff is recognized", "c|context": "the form of a diff is recognized" },
})

class Patcher {
  readonly #io: UtilityIo
  readonly #file: FilePatch
  readonly #hunks: ReadonlyArray<PatchHunk>
  readonly #isReverse: boolean

  constructor(io: UtilityIo, file: FilePatch) {
    this.#io = io
    this.#file = file
    this.#isReverse = io.has("R")
    this.#hunks = this.#isReverse ? file.hunks.map(reverseHunk) : file.hunks
  }

  #say(text: string): void {
    if (!this.#io.has("s")) (this.#io.value("o") === "-" ? this.#io.err : this.#io.out).putText(`${text}\n`)
  }

  /** Strips leading parts of a name; without `-p` only the last part is left. */
  #strip(name: string | undefined): string | undefined {
    if (name === undefined || name === "/dev/null") return undefined
    const given = this.#io.value("p")
    if (given === undefined) return baseName(name)
    const parts = name.split(/\/+/)
    return Number(given) >= parts.length ? undefined : parts.slice(Number(given)).join("/")
  }

  /** A name of the patch, stripped; `undefined` for one that leads out of the working directory. */
  #safeName(given: string | undefined): string | undefined {
    const name = this.#strip(given)
    if (name === undefined || name === "") return undefined
    if (!name.startsWith("/") && !name.split("/").includes("..")) return name
    this.#io.print(`Ignoring potentially dangerous file name ${name}\n`)
    return undefined
  }

  /** Whether links in the directories of a name of the patch lead out of the working directory. */
  #leadsOut(name: string): boolean {
    const { system } = this.#io
    const [root, real] = [".", dirName(name)].map((path) => resolvePath(system, path, "all"))
    return root !== real && !`${real}`.startsWith(root === "/" ? "/" : `${root}/`)
  }

  /** The file to patch: the shortest name of the patch that exists. */
  #findTarget(): string | undefined {
    const operand = this.#io.operands[0]
    if (operand !== undefined) return operand
    const { index, newName, oldName } = this.#file
    const [before, after] = this.#isReverse ? [newName, oldName] : [oldName, newName]
    const names = [before, after, index].flatMap((given) => {
      const name = this.#safeName(given)
      return name === undefined ? [] : [name]
    })
    const rank = (name: string): ReadonlyArray<number> => [name.split("/").length, baseName(name).length, name.length]
    const existing = names.filter((name) => typeof this.#io.system.stat(name) === "object")
    const [best] = existing.sort((a, b) => {
      const [one, two] = [rank(a), rank(b)]
      return one.map((value, at) => value - (two[at] ?? 0)).find((order) => order !== 0) ?? 0
    })
    if (best !== undefined) return best
    return before === undefined || before === "/dev/null" || this.#hunks[0]?.oldStart === 0 ? names.at(-1) : undefined
  }

  /** Applies the patch. Returns whether all hunks were applied. */
  async run(): Promise<boolean> {
    const io = this.#io
    const { system } = io
    const target = this.#findTarget()
    if (target === undefined) {
      const { leading, line } = this.#file
      const hint = io.has("p") ? "Perhaps you used the wrong" : "Perhaps you should have used the"
      const ruler = "-".repeat(26)
      io.print(`can't find file to patch at input line ${line}\n${hint} -p or --strip option?\n`)
      io.print(["The text leading up to this was:", ruler, ...leading.map((each) => `|${each}`), ruler, ""].join("\n"))
      io.print("File to patch: \nSkip this patch? [y] \nSkipping patch.\n")
      return this.#ignoreAll(undefined)
    }
    const rename = this.#file.rename
    const renamed = rename === undefined || io.operands.length > 0
      ? undefined
      : this.#safeName(this.#isReverse ? rename.from : rename.to)
    if (rename !== undefined && renamed === undefined && io.operands.length === 0) {
      io.print("Cannot rename file without two valid file names\n")
      return this.#ignoreAll(undefined)
    }
    const outside = io.operands.length > 0
      ? undefined
      : [target, renamed ?? target].find((name) => this.#leadsOut(name))
    if (outside !== undefined) {
      io.print(`Invalid file name ${outside} -- skipping patch\n`)
      return false
    }
    const result = io.value("o") ?? renamed ?? target
    const existing = system.stat(target)
    if (typeof existing === "number" && existing !== -Errno.ENOENT) io.fail(`**** Can't open file ${target}`, existing)
    const input = typeof existing === "number" ? undefined : io.openInput(target)
    const lines = input === undefined ? [] : await io.readLines(input)
    input?.close()
    const verb = io.has("dry-run") ? "checking" : "patching"
    const before = this.#isReverse ? this.#file.newName : this.#file.oldName
    if (before === "/dev/null" && lines.length > 0 && !io.has("f") && !io.has("t")) {
      io.print(`The next patch${this.#isReverse ? ", when reversed," : ""} would create the file ${target},\n`)
      io.print(`which already exists!  ${io.has("N") ? "" : "Assume -R? [n] \nApply anyway? [n] \n"}`)
      this.#say("Skipping patch.")
      return this.#ignoreAll(undefined)
    }
    const shown = [target, result].map((name) => /[\s']/.test(name) ? `'${name}'` : name)
    if (io.has("o")) this.#say(`${verb} file ${shown[1]} (read from ${shown[0]})`)
    else {
      const moved = renamed === undefined || renamed === target
      this.#say(`${verb} file ${moved ? shown[0] : `${shown[1]} (renamed from ${shown[0]})`}`)
    }
    const applied = await this.#applyAll(lines)
    if (applied === undefined) return this.#ignoreAll(target)
    const { failed, isFuzzy, out } = applied
    if (!io.has("dry-run")) {
      const keepsMismatch = isFuzzy && !io.has("no-backup-if-mismatch") && !io.has("o")
      if (io.has("b") || io.has("z") || keepsMismatch || failed.length > 0) await this.#backUp(target, lines)
      if (failed.length === 0 || failed.length < this.#hunks.length) {
        await this.#write(result, out, target, typeof existing === "object" ? existing.mode : undefined)
      }
    }
    if (failed.length === 0) return true
    await this.#saveRejects(
      target,
      failed,
      `${failed.length} out of ${this.#hunks.length} hunk${this.#hunks.length === 1 ? "" : "s"} FAILED`,
    )
    return false
  }

  /** Reports that the whole patch is left out. */
  async #ignoreAll(target: string | undefined): Promise<false> {
    const count = this.#hunks.length
    const text = `${count} out of ${count} hunk${count === 1 ? "" : "s"} ignored`
    if (target === undefined) this.#io.print(`${text}\n`)
    else await this.#saveRejects(target, this.#hunks, text)
    return false
  }

  /** Applies each hunk; `undefined` if the patch is ignored because it was applied before. */
  async #applyAll(
    lines: ReadonlyArray<string>,
  ): Promise<{ failed: Array<PatchHunk>; out: ReadonlyArray<string>; isFuzzy: boolean } | undefined> {
    const io = this.#io
    const maxFuzz = io.count("F", 2, (text) => `fuzz factor ${text} is not a number`)
    const applier = new HunkApplier(io, lines)
    const failed: Array<PatchHunk> = []
    let isFuzzy = false
    for (const [index, hunk] of this.#hunks.entries()) {
      let place = undefined
      const context = hunk.lines.filter(({ sign }) => sign === " ").length
      for (let fuzz = 0; place === undefined && fuzz <= Math.min(maxFuzz, context); fuzz++) {
        place = await applier.locate(hunk, fuzz)
        if (place !== undefined || index > 0 || io.has("f") || fuzz > 0) continue
        if (await applier.locate(reverseHunk(hunk), fuzz) === undefined) continue
        const applied = this.#handleReversed()
        if (applied === "skip") return undefined
        if (applied === "reverse") return await new Patcher(io, this.#reversed()).#applyAll(lines)
      }
      const number = `Hunk #${index + 1}`
      if (place === undefined) {
        const [oldStart, newStart] = [hunk.oldStart + applier.growth, hunk.newStart + applier.growth]
        failed.push({ ...hunk, newStart, oldStart })
        this.#say(`${number} FAILED at ${oldStart}.`)
        continue
      }
      const { line, offset } = applier.apply(hunk, place)
      if (place.fuzz === 0 && offset === 0) continue
      isFuzzy = true
      const fuzz = place.fuzz === 0 ? "" : ` with fuzz ${place.fuzz}`
      const moved = offset === 0 ? "" : ` (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"})`
      this.#say(`${number} succeeded at ${line}${fuzz}${moved}.`)
    }
    return { failed, isFuzzy, out: applier.finish() }
  }

  #reversed(): FilePatch {
    return { ...this.#file, hunks: this.#file.hunks.map(reverseHunk) }
  }

  /** Questions are answered by the options or the defaults. */
  #handleReversed(): "skip" | "reverse" {
    const io = this.#io
    const what = this.#isReverse ? "Unreversed patch detected!" : "Reversed (or previously applied) patch detected!"
    if (io.has("N")) io.print(`${what}  Skipping patch.\n`)
    else if (io.has("t")) io.print(`${what}  ${this.#isReverse ? "Ignoring" : "Assuming"} -R.\n`)
    else io.print(`${what}  ${this.#isReverse ? "Ignore" : "Assume"} -R? [n] \nApply anyway? [n] \nSkipping patch.\n`)
    return io.has("t") ? "reverse" : "skip"
  }

  async #backUp(target: string, lines: ReadonlyArray<string>): Promise<void> {
    const stat = this.#io.system.stat(target)
    await this.#writeLines(
      `${target}${this.#io.value("z") ?? ".orig"}`,
      lines,
      typeof stat === "object" ? stat.mode : 0o644,
    )
  }

  /** Writes the result, or removes the file if the patch leaves nothing of it. */
  async #write(result: string, out: ReadonlyArray<string>, target: string, mode: number | undefined): Promise<void> {
    const { system } = this.#io
    const after = this.#isReverse ? this.#file.oldName : this.#file.newName
    const isRemoved = out.length === 0 && (after === "/dev/null" || this.#io.has("E"))
    if (isRemoved && result !== "-") {
      system.unlink(target)
      this.#removeEmptyParents(target)
    } else {
      if (result !== "-") this.#makeParents(result)
      await this.#writeLines(result, out, this.#file.mode ?? mode ?? 0o666 & ~system.umask())
      if (result !== target && !this.#io.has("o")) system.unlink(target)
    }
  }

  #removeEmptyParents(path: string): void {
    const parent = dirName(path)
    if (parent !== "." && this.#io.system.removeDirectory(parent) === 0) this.#removeEmptyParents(parent)
  }

  #makeParents(path: string): void {
    const parent = dirName(path)
    if (parent === "." || this.#io.isDirectory(parent)) return
    this.#makeParents(parent)
    this.#io.system.makeDirectory(parent)
  }

  async #writeLines(path: string, lines: ReadonlyArray<string>, mode: number): Promise<void> {
    const io = this.#io
    if (path === "-") {
      for (const line of lines) io.out.putBinary(line)
      return
    }
    // Another name of the file keeps its content.
    io.system.unlink(path)
    const fd = io.system.open(path, { create: true, exclusive: true, mode, write: true })
    if (fd < 0) io.fail(`**** Can't create file ${path}`, fd)
    const output = new Output(io.system, fd)
    for (const line of lines) {
      output.putBinary(line)
      if (output.isFull) await output.flush()
    }
    await output.flush()
    io.system.close(fd)
  }

  async #saveRejects(target: string, hunks: ReadonlyArray<PatchHunk>, text: string): Promise<void> {
    const io = this.#io
    if (io.has("dry-run")) return this.#io.print(`${text}\n`)
    const path = io.value("r") ?? `${io.value("o") ?? target}.rej`
    io.print(path === "-" ? `${text}\n` : `${text} -- saving rejects to file ${path}\n`)
    if (path === "-") return
    const names =
      (this.#isReverse ? [this.#file.newName, this.#file.oldName] : [this.#file.oldName, this.#file.newName])
        .map((name) => this.#strip(name) ?? name ?? target)
    const rejects = formatRejects(hunks, [names[0] ?? target, names[1] ?? target], this.#file, this.#isReverse)
    await this.#writeLines(joinPath(dirName(path), baseName(path)), rejects.map(textToBinaryLine), 0o644)
  }
}

const textToBinaryLine = (line: string): string => /^[\0-\xff]*$/.test(line) ? line : textToBinary(line)
