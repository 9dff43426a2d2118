/** Makes the data of `-d`, `--json` and `-F`. Source: curl(1). */
import { concatBytes, encodeUtf8 } from "../../../base/bytes.ts"
import { encodeLossless } from "../../../base/surrogateEscape.ts"
import { errnoText } from "../../Errno.ts"
import type { System } from "../../System.ts"
import type { BodyPart } from "../http/RequestBody.ts"
import { maxDataBytes, openToRead, readFile } from "../http/files.ts"
import { UtilityExit } from "../shared/UtilityExit.ts"

const unreserved = /[\w.~-]/

export const percentEncode = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    text += unreserved.test(character) && byte < 128
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }
  return text
}

/** As in forms, where a space is a plus. */
export const formEncode = (bytes: Uint8Array): string => percentEncode(bytes).replaceAll("%20", "+")

const stepBytes = 65_536

/** {@link formEncode} in steps, between which other processes run. */
const formEncodeAll = async (system: System, bytes: Uint8Array): Promise<string> => {
  let text = ""
  for (let at = 0; at < bytes.length; at += stepBytes) {
    text += formEncode(bytes.subarray(at, at + stepBytes))
    await system.yield(Infinity)
  }
  return text
}

export type Warn = (message: string) => void

/** Reads a file of data. A missing file is empty, with a warning, as in curl. */
const readData = async (system: System, path: string, warn: Warn): Promise<Uint8Array> => {
  const bytes = await readFile(system, path)
  if (typeof bytes !== "number") return bytes
  warn(`Couldn't read data from file "${path}", this makes an empty POST.`)
  return new Uint8Array()
}

const urlEncoded = async (system: System, value: string, warn: Warn): Promise<string> => {
  const at = value.search(/[=@]/)
  const name = at < 0 ? "" : value.slice(0, at)
  const rest = value.slice(at + 1)
  const content = value[at] === "@" ? await readData(system, rest, warn) : encodeLossless(rest)
  return `${name === "" ? "" : `${name}=`}${await formEncodeAll(system, content)}`
}

/** Data without line ends and NULs, filtered in steps as {@link formEncodeAll} encodes. */
const withoutLineEnds = async (system: System, bytes: Uint8Array): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += stepBytes) {
    pieces.push(bytes.subarray(at, at + stepBytes).filter((byte) => byte !== 10 && byte !== 13 && byte !== 0))
    await system.yield(Infinity)
  }
  return concatBytes(pieces, pieces.reduce((sum, { length }) => sum + length, 0))
}

const dataOf = async (system: System, option: string, value: string, warn: Warn): Promise<Uint8Array> => {
  if (option === "data-urlencode") return encodeUtf8(await urlEncoded(system, value, warn))
  if (option === "data-raw" || !value.startsWith("@")) return encodeLossless(value)
  const bytes = await readData(system, value.slice(1), warn)
  return option === "data-binary" || option === "json" ? bytes : await withoutLineEnds(system, bytes)
}

/** Joins data as curl sends it: with `&`, but not before a piece of `--json`. */
export const collectData = async (
  system: System,
  data: ReadonlyArray<readonly [option: string, value: string]>,
  warn: Warn,
): Promise<Uint8Array | undefined> => {
  if (data.length === 0) return undefined
  const pieces: Array<Uint8Array> = []
  let length = 0
  for (const [option, value] of data) {
    const piece = await dataOf(system, option, value, warn)
    const separator = pieces.length > 0 && option !== "json" ? encodeUtf8("&") : new Uint8Array()
    length += separator.length + piece.length
    if (length > maxDataBytes) {
      throw new UtilityExit(27, `more than ${maxDataBytes} bytes of data would be held in memory; send a file by -T`)
    }
    pieces.push(separator, piece)
  }
  return concatBytes(pieces, length)
}

/** Types by the ending of a file's name, as curl knows them. */
const types: ReadonlyMap<string, string> = new Map([
  ["gif", "image/gif"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["txt", "text/plain"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["pdf", "application/pdf"],
  ["xml", "application/xml"],
])

const typeOf = (path: string): string | undefined => types.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "")

const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)

interface FormField {
  readonly content: string
  readonly type?: string
  readonly filename?: string
}

/** Splits `content;type=text/plain;filename=name`; a content or a value may be in quotes. */
const parseField = (text: string): FormField => {
  const word = /^(?:"((?:[^"\\]|\\.)*)"|([^;]*(?:;(?!\s*(?:type|filename|headers|encoder)=)[^;]*)*))/
  const plain = (match: RegExpExecArray | null): string => match?.[1]?.replace(/\\(["\\])/g, "$1") ?? match?.[2] ?? ""
  const first = word.exec(text)
  let rest = text.slice(first?.[0].length ?? 0)
  const settings = new Map<string, string>()
  while (rest.startsWith(";")) {
    const [whole = "", name = ""] = /^;\s*(type|filename|headers|encoder)=/.exec(rest) ?? []
    if (whole === "") break
    if (name === "headers" || name === "encoder") {
      throw new UtilityExit(2, `option -F: ;${name}= is not here; write the body yourself and send it by --data-binary`)
    }
    const value = word.exec(rest.slice(whole.length))
    settings.set(name, plain(value))
    rest = rest.slice(whole.length + (value?.[0].length ?? 0))
  }
  const [type, filename] = [settings.get("type"), settings.get("filename")]
  return { content: plain(first), ...type !== undefined && { type }, ...filename !== undefined && { filename } }
}

const unreadable = (): never => {
  throw new UtilityExit(26, "(26) Failed to open/read local data from file/application")
}

/** Makes the parts of a `multipart/form-data` body. */
export const formParts = (
  system: System,
  form: ReadonlyArray<readonly [option: string, value: string]>,
  boundary: string,
): ReadonlyArray<BodyPart> => {
  const parts: Array<BodyPart> = []
  for (const [option, given] of form) {
    const equals = given.indexOf("=")
    const name = given.slice(0, equals)
    const value = given.slice(equals + 1)
    const isFile = option === "form" && /^[@<]/.test(value)
    const field = option === "form-string" ? { content: value } : parseField(isFile ? value.slice(1) : value)
    if (isFile && field.content.includes(",") && system.stat(field.content) === -2) {
      throw new UtilityExit(2, "option -F: several files in one field are not here; repeat -F for each file")
    }
    const isUpload = isFile && value.startsWith("@")
    const filename = field.filename ?? (isUpload ? field.content.replace(/^.*\//, "") : undefined)
    const guessed = isFile ? typeOf(filename ?? field.content) : undefined
    const type = field.type ?? guessed ?? (isUpload ? "application/octet-stream" : undefined)
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${escapeName(name)}"${
        filename === undefined ? "" : `; filename="${escapeName(filename)}"`
      }`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ]
    if (/[\r\n]/.test(type ?? "")) unreadable()
    parts.push(encodeLossless(`${head.join("\r\n")}\r\n\r\n`))
    if (isFile) {
      const fd = openToRead(system, field.content)
      if (fd < 0) unreadable()
      system.close(fd)
      parts.push({ path: field.content })
    } else parts.push(encodeLossless(field.content))
    parts.push(encodeUtf8("\r\n"))
  }
  parts.push(encodeUtf8(`--${boundary}--\r\n`))
  return parts
}

/** Bytes of a file with headers. */
const maxHeaderFileBytes = 65_536

/** Reads the headers of `-H`, `@file` too. */
/** Characters of all headers of `-H`, as curl limits a request; the network policy allows fewer by default. */
const maxHeadersLength = 1_048_576

export const readHeaders = async (
  system: System,
  given: ReadonlyArray<string>,
  warn: Warn,
): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  let length = 0
  const add = (line: string): void => {
    length += line.length + 2
    if (length > maxHeadersLength) throw new UtilityExit(27, `the headers are longer than ${maxHeadersLength} bytes`)
    lines.push(line)
  }
  for (const value of given) {
    if (!value.startsWith("@")) {
      add(value)
      continue
    }
    const bytes = await readFile(system, value.slice(1))
    if (typeof bytes === "number") warn(`Failed to open ${value.slice(1)}: ${errnoText(bytes)}`)
    else if (bytes.length > maxHeaderFileBytes) throw new UtilityExit(27, `${value.slice(1)}: too long for headers`)
    else {
      for (const line of new TextDecoder().decode(bytes).split(/\r?\n/)) if (line !== "") add(line)
    }
  }
  return lines
}
