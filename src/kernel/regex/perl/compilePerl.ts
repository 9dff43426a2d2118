/** Compiles the syntax tree of a Perl regular expression to instructions for `PerlRegex`. */
import { RegexError } from "../RegexError.ts"
import { firstSets, type Instructions, maxInstructions, maxNodes, Op } from "../instructions.ts"
import type { CharacterSet, PerlOptions, PerlProgram, Tree } from "./PerlProgram.ts"
import { PerlRegexParser } from "./PerlRegexParser.ts"
import { asciiShorthand, isWord, withTable } from "./characterSets.ts"

/** Parses and compiles a pattern. Throws `RegexError`. */
export const compilePerl = (pattern: string, { dialect, ...flags }: PerlOptions): PerlProgram => {
  const parser = new PerlRegexParser(pattern, dialect)
  const tree = parser.parse(flags)
  const { names } = parser
  const op: Array<number> = []
  const x: Array<number> = []
  const y: Array<number> = []
  const sets: Array<CharacterSet> = []
  let slots = 2 * names.length + 2
  const emit = (kind: number, a = 0, b = 0): number => {
    if (op.length >= maxInstructions) throw new RegexError("too big regular expression")
    x.push(a)
    y.push(b)
    return op.push(kind) - 1
  }
  const split = (isLazy: boolean): number => emit(Op.split, isLazy ? 0 : op.length + 1, isLazy ? op.length + 1 : 0)
  const join = (place: number, isLazy: boolean): void => void ((isLazy ? x : y)[place] = op.length)
  let nodes = 0
  const emitTree = (part: Tree): void => {
    // Repeated empty groups have no instructions.
    if (++nodes > maxNodes) throw new RegexError("too big regular expression")
    switch (part._tag) {
      case "Set":
        emit(Op.set, sets.push(withTable(part.set)) - 1)
        return
      case "All":
        return part.of.forEach(emitTree)
      case "Any": {
        const jumps: Array<number> = []
        part.of.forEach((way, index) => {
          if (index === part.of.length - 1) return emitTree(way)
          const place = split(false)
          emitTree(way)
          jumps.push(emit(Op.jump))
          join(place, false)
        })
        for (const jump of jumps) x[jump] = op.length
        return
      }
      case "Repeat": {
        for (let count = 0; count < part.min; count++) emitTree(part.of)
        if (part.max === Infinity) {
          const slot = slots++
          const place = split(part.isLazy)
          emit(Op.save, slot)
          emitTree(part.of)
          emit(Op.moved, slot)
          emit(Op.jump, place)
          return join(place, part.isLazy)
        }
        const places: Array<number> = []
        for (let count = part.min; count < part.max; count++) {
          places.push(split(part.isLazy))
          emitTree(part.of)
        }
        for (const place of places) join(place, part.isLazy)
        return
      }
      case "Group":
        emit(Op.save, part.index * 2)
        emitTree(part.of)
        emit(Op.save, part.index * 2 + 1)
        return
      case "At":
        emit(Op.at, part.what)
        return
      case "Keep":
        emit(Op.save, 0)
        return
      case "Back": {
        const index = typeof part.index === "number" ? part.index : names.lastIndexOf(part.index) + 1
        if (index < 1 || index > names.length) throw new RegexError("invalid backref number/name")
        emit(Op.back, index)
        return
      }
      case "Look": {
        const place = emit(Op.look, 0, part.kind)
        emitTree(part.of)
        emit(Op.match)
        x[place] = op.length
      }
    }
  }
  emitTree(tree)
  emit(Op.match)
  const first = firstCharacters({ op, x, y }, sets)
  const { ignoreCase } = flags
  const word = dialect === "PCRE" ? asciiShorthand["w"] ?? isWord : isWord
  const program = { op, x, y, sets, names, slots, first, ignoreCase, dialect, isRegular: parser.isRegular }
  return { ...program, isWord: word }
}

const firstCharacters = (code: Instructions, sets: ReadonlyArray<CharacterSet>): CharacterSet | undefined => {
  const first = firstSets(code)?.map((index) => sets[index])
  return first && withTable((code) => first.some((set) => set?.(code)))
}
