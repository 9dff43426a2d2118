/** Implements `read`, which assigns the fields of a line to variables or an array. Source: POSIX read(1); bash(1) `read`. */
import { detach } from "../../detach.ts"
import { errnoText } from "../../Errno.ts"
import { readDelimited, type ReadPiece, ReadText } from "../readDelimited.ts"
import { FieldSplitter } from "../expand/WordBuilder.ts"
import { IndexedArray } from "../IndexedArray.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { withOptions } from "./parseBuiltinOptions.ts"
import { setNamedVariable } from "./namedVariables.ts"

const splitFields = (
  pieces: ReadonlyArray<ReadPiece>,
  names: ReadonlyArray<string>,
  ifs: string,
): ReadonlyArray<string> => {
  const text = pieces.map((piece) => piece.text).join("")
  // The text without what splits nothing: neither a value nor IFS holds a NUL.
  const shape = pieces.map((piece) => piece.escaped ? "\0".repeat(piece.text.length) : piece.text).join("")
  const spaces = ifs.replace(/[^ \t\n]/g, "")
  const space = new RegExp(`[${spaces}]*`, "y")
  const delimiter = new RegExp(`[${ifs.replace(/[\\\]^-]/g, "\\$&")}]`, "gu")
  let at = 0
  const skipSpace = (): void => {
    space.lastIndex = at
    at += space.exec(shape)?.[0].length ?? 0
  }
  const nextDelimiter = (): RegExpExecArray | null => {
    delimiter.lastIndex = at
    return delimiter.exec(shape)
  }
  const field = (): string => {
    const start = at
    const end = at = nextDelimiter()?.index ?? text.length
    skipSpace()
    const next = nextDelimiter()
    if (next?.index === at) {
      at += next[0].length
      skipSpace()
    }
    return detach(text.slice(start, end), text.length)
  }
  skipSpace()
  return names.map((_, index) => {
    if (index < names.length - 1) return field()
    const start = at
    const only = field()
    if (at >= text.length) return only
    let end = text.length
    while (end > start && spaces.includes(shape[end - 1] ?? "-")) end--
    return detach(text.slice(start, end), text.length)
  })
}

/** Maximum timeout: a finite number, about three hundred years. */
const maxSeconds = 1e10

const readBuiltin = withOptions("a:d:ei:n:N:p:rst:u:", async (shell, { letters, rest, values }) => {
  const fd = Number(values.get("u") ?? 0)
  const real = shell.descriptors.get(fd)
  if (real === undefined) return shell.reportError(`read: ${fd}: invalid file descriptor: Bad file descriptor`)
  const seconds = values.get("t")
  if (seconds !== undefined && !/^(?:\d+\.?|\d*\.\d+)$/.test(seconds)) {
    return shell.reportError(`read: ${seconds}: invalid timeout specification`)
  }
  if (seconds !== undefined && Number(seconds) === 0) {
    const found = await shell.system.poll([{ _tag: "Readable", fd: real }, { _tag: "After", ms: 0 }])
    return typeof found === "object" && found.includes(0) ? 0 : 1
  }
  const count = values.get("N") ?? values.get("n")
  if (count !== undefined && !/^\d+$/.test(count)) return shell.reportError(`read: ${count}: invalid number`)
  for (const name of rest) {
    if (!/^[A-Za-z_]\w*(\[.+\])?$/s.test(name)) return shell.reportError(`read: \`${name}': not a valid identifier`)
  }
  const delimiter = values.get("d")
  const into = new ReadText()
  const ending = await readDelimited(shell, real, {
    raw: letters.has("r"),
    delimiter: delimiter === undefined ? 10 : delimiter.charCodeAt(0) || 0,
    count: count === undefined ? Infinity : Number(count),
    exact: values.has("N"),
    deadline: seconds === undefined
      ? undefined
      : shell.system.monotonic() + BigInt(Math.round(Math.min(Number(seconds), maxSeconds) * 1e9)),
  }, into)
  into.cut()
  await assignFields(shell, into.pieces, rest, values.get("a"), values.has("N"))
  if (typeof ending === "number") return shell.reportError(`read: read error: ${fd}: ${errnoText(ending)}`)
  return ending === "line" ? 0 : ending === "timeout" ? 142 : 1
})

const assignFields = async (
  shell: Shell,
  pieces: ReadonlyArray<ReadPiece>,
  names: ReadonlyArray<string>,
  array: string | undefined,
  exact: boolean,
): Promise<void> => {
  const ifs = shell.variables.get("IFS") ?? " \t\n"
  if (array !== undefined) {
    const builder = new FieldSplitter(ifs, shell.limits.maxWords, shell.system)
    for (const { escaped, text } of pieces) {
      if (escaped) builder.add(text, true)
      else await builder.split(text)
    }
    builder.end()
    const variable = shell.variables.need(array)
    if (variable.readonly) throw new ShellError(`${array}: readonly variable`)
    variable.value = undefined
    shell.variables.grew(builder.fields.reduce((size, { text }) => size + text.length + 64, 0))
    variable.array = new IndexedArray(builder.fields.map(({ text }) => text))
    return
  }
  const whole = (): string => pieces.map(({ text }) => text).join("")
  if (names.length === 0) return setNamedVariable(shell, "REPLY", whole())
  const fields = exact ? [whole()] : splitFields(pieces, names, ifs)
  for (const [index, name] of names.entries()) await setNamedVariable(shell, name, fields[index] ?? "")
}

export const readBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["read", readBuiltin],
]
