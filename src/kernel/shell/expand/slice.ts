/** Evaluates `${x:1:2}` and `${@:2}`: slices the characters of a value or the elements of a list. */
import type { ParameterSlice } from "../../../shell-language/SyntaxTree.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { type Coroutine, runCoroutine } from "../../Coroutine.ts"
import type { Later } from "../../System.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { bytesAsCharacters, countCharacters, joinBytes, mapPieces, sliceCharacters } from "../characters.ts"
import type { Expander, ParameterReference } from "./ParameterReference.ts"

/** Evaluates an offset and a length to a range; negative ones count from the end. */
const evaluateRange = async (
  { length, offset }: ParameterSlice,
  size: number,
  expander: Expander,
): Promise<readonly [start: number, end: number] | undefined> => {
  const given = Number(await expander.arithmetic(offset))
  const start = given < 0 ? size + given : given
  if (length === undefined) return start < 0 || start > size ? undefined : [start, size]
  const count = Number(await expander.arithmetic(length))
  if (start < 0 || start > size) return undefined
  const end = count < 0 ? size + count : Math.min(size, start + count)
  if (end < start) throw new ShellError(`${count}: substring expression < 0`, "line")
  return [start, end]
}

/** Returns the number of characters of a value: `${#x}`. */
export const lengthOf = ({ system, variables }: Shell, value: string): Later<number> =>
  runCoroutine(system, isUtf8Locale(variables) ? countCharacters(value) : countBytes(value))

function* countBytes(value: string): Coroutine<number> {
  return (yield* mapPieces(value, bytesAsCharacters)).length
}

function* sliceBytes(value: string, start: number, end: number): Coroutine<string> {
  const bytes = yield* mapPieces(value, bytesAsCharacters)
  return yield* mapPieces(yield* sliceCharacters(bytes, start, end), joinBytes)
}

export const sliceText = async (
  shell: Shell,
  value: string,
  operation: ParameterSlice,
  expander: Expander,
): Promise<string> => {
  const found = await evaluateRange(operation, await lengthOf(shell, value), expander)
  if (found === undefined) return ""
  return runCoroutine(shell.system, (isUtf8Locale(shell.variables) ? sliceCharacters : sliceBytes)(value, ...found))
}

export const sliceList = async (
  shell: Shell,
  { name }: ParameterReference,
  values: ReadonlyArray<string>,
  operation: ParameterSlice,
  expander: Expander,
): Promise<ReadonlyArray<string>> => {
  const offset = Number(await expander.arithmetic(operation.offset))
  const count = operation.length === undefined ? Infinity : Number(await expander.arithmetic(operation.length))
  if (count < 0) throw new ShellError(`${count}: substring expression < 0`, "line")
  if (name === "@" || name === "*") {
    const all = [shell.name, ...values]
    const start = offset < 0 ? all.length + offset : offset
    return start < 0 ? [] : all.slice(start, start + count)
  }
  const variable = shell.variables.find(name)
  const keys = variable?.keys ?? []
  const start = offset < 0 ? Number(keys.at(-1) ?? -1) + 1 + offset : offset
  if (start < 0) return []
  const first = variable?.table !== undefined ? Math.max(0, start - 1) : keys.findIndex((key) => Number(key) >= start)
  return first < 0 ? [] : values.slice(first, first + count)
}
