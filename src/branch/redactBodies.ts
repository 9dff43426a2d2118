/** Redacts the bodies of entries, including bytes that arrive in pieces. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { decodeLossless, encodeLossless } from "../base/surrogateEscape.ts"
import type { Body } from "../journal/Entry.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"

type Json = Schema.Json

type Fields = Readonly<Record<string, Json>>

const redactFields = (fields: Fields, text: (whole: string) => string): Fields => {
  const redacted = Object.entries(fields).map(([name, field]) => [text(name), redactJson(field, text)] as const)
  const isSame = redacted.every(([name, field]) => Object.hasOwn(fields, name) && fields[name] === field)
  return isSame ? fields : Object.fromEntries(redacted)
}

const redactJson = (value: Json, text: (whole: string) => string): Json => {
  if (typeof value === "string") return text(value)
  if (typeof value !== "object" || value === null) return value
  if (!isArray(value)) return redactFields(value, text)
  const redacted = value.map((item) => redactJson(item, text))
  return redacted.every((item, index) => item === value[index]) ? value : redacted
}

const isArray = (value: Schema.JsonArray | Schema.JsonObject): value is Schema.JsonArray => Array.isArray(value)

/** The number of bytes at the end that belong to an incomplete UTF-8 character. */
const unfinishedLength = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    return byte >= 0xf0
      ? (back < 4 ? back : 0)
      : byte >= 0xe0
      ? (back < 3 ? back : 0)
      : byte >= 0xc2 && back < 2
      ? 1
      : 0
  }
  return 0
}

const redactPieces = (redaction: Redactor.StreamingRedaction) => {
  let unfinished: Uint8Array = new Uint8Array()
  return (piece: Uint8Array, isFinal: boolean): Uint8Array => {
    const bytes = new Uint8Array(unfinished.length + piece.length)
    bytes.set(unfinished)
    bytes.set(piece, unfinished.length)
    const end = bytes.length - (isFinal ? 0 : unfinishedLength(bytes))
    unfinished = bytes.subarray(end)
    const text = redaction.push(decodeLossless(bytes.subarray(0, end)))
    return encodeLossless(isFinal ? text + redaction.end() : text)
  }
}

export const redactBytes = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  redactor: Redactor.Redactor | undefined,
): Stream.Stream<Uint8Array, E> =>
  redactor === undefined ? bytes : Stream.suspend(() => {
    const redact = redactPieces(redactor.begin())
    return Stream.concat(
      Stream.map(bytes, (piece) => redact(piece, false)),
      Stream.suspend(() => Stream.succeed(redact(new Uint8Array(), true))),
    )
  })

export interface BranchBytes {
  /** Names of fields with bytes, in base64. In a body with `isFinal` its bytes are one piece of several. */
  readonly bytes: ReadonlyArray<string>
}

export type BodyRedaction = (body: Body) => Body

/**
 * Makes the redactor for one request. A changed body gets the field `redacted`, so that readers know that its text was
 * altered; the `offset` of a piece counts stored bytes.
 */
export const redactBodies = (
  { bytes: names }: BranchBytes,
  redactor: Redactor.Redactor | undefined,
): BodyRedaction => {
  if (redactor === undefined) return (body) => body
  let pieces: ReturnType<typeof redactPieces> | undefined
  let offset: number | undefined

  const redactPiece = (body: Body, field: string, data: Uint8Array): Body => {
    pieces ??= redactPieces(redactor.begin())
    const from = offset ?? (typeof body["offset"] === "number" ? body["offset"] : 0)
    const kept = pieces(data, body["isFinal"] === true)
    offset = from + kept.length
    return { ...body, offset: from, [field]: Base64.encode(kept) }
  }

  return (body) => {
    const field = names.find((name) => typeof body[name] === "string")
    const encoded = field === undefined ? undefined : body[field]
    const decoded = typeof encoded === "string" ? Result.getOrUndefined(Base64.decode(encoded)) : undefined
    if (field !== undefined && decoded !== undefined && typeof body["isFinal"] === "boolean") {
      return redactPiece(body, field, decoded)
    }
    const redactField = (name: string, value: Json): Json => {
      if (name === "_tag" || name === "correlationId") return value
      if (name !== field || decoded === undefined) return redactJson(value, redactor.text)
      const text = decodeLossless(decoded)
      const kept = redactor.text(text)
      return kept === text ? value : Base64.encode(encodeLossless(kept))
    }
    const fields = Object.entries(body).map(([name, value]) => [name, redactField(name, value)] as const)
    if (fields.every(([name, value]) => value === body[name])) return body
    return { ...body, ...Object.fromEntries(fields), redacted: true }
  }
}
