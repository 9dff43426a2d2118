/**
 * Checks the fields of FileSystem requests, and makes the fault that names an invalid field, its value and its range.
 *
 * Types check neither ranges nor calls from plain JavaScript.
 */
import * as Schema from "effect/Schema"
import { showValue } from "../base/OptionError.ts"
import { CorrelationId } from "./CorrelationId.ts"
import { FileFault } from "./FileFault.ts"
import { CreateMode, describeRequest, type FileRequest } from "./FileRequest.ts"

/** A check of a field's value, and the description of valid values. */
type Check = readonly [isValid: (value: unknown) => boolean, expected: string]

export const isByteCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

const isCorrelationId = Schema.is(CorrelationId)
const isCreateMode = Schema.is(CreateMode)
const isText = (value: unknown): boolean => typeof value === "string"
const count = `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`

/** Maximum length of a glob, in UTF-16 units: its braces may stand for 256 globs, each of this length. */
const maxPatternLength = 4_096

const optional = (isValid: (value: unknown) => boolean, expected: string): Check => [
  (value) => value === undefined || isValid(value),
  expected,
]
const flag: Check = optional((value) => typeof value === "boolean", "true or false")

const checks: Readonly<Record<string, Check>> = {
  correlationId: [isCorrelationId, "a string of 1 to 200 printable ASCII characters"],
  path: [isText, "a string: names with slashes between them, from the root"],
  offset: optional(isByteCount, count),
  length: optional(isByteCount, `${count}; leave it out to read to the end`),
  content: [(value) => value instanceof Uint8Array, "a string, a Uint8Array, or a Stream of Uint8Arrays"],
  createMode: [isCreateMode, `one of ${CreateMode.literals.join(", ")}`],
  permissions: optional((value) => isByteCount(value) && value <= 0o777, "a whole number from 0 to 0o777"),
  pattern: optional(
    (value) => typeof value === "string" && value.length <= maxPatternLength,
    `a glob, a string such as *.ts, of at most ${maxPatternLength} characters`,
  ),
  recursive: flag,
  chunked: flag,
}

const show = (name: string, value: unknown): string =>
  name === "permissions" && isByteCount(value) ? `0o${value.toString(8)}` : showValue(value).slice(0, 100)

export const fieldFault = (request: FileRequest, name: string, value: unknown, expected: string): FileFault => {
  const path = String(request.path)
  return new FileFault({
    correlationId: isCorrelationId(request.correlationId) ? request.correlationId : CorrelationId.make(),
    faultKind: name === "path" ? "InvalidPath" : "IoError",
    path,
    message: `${describeRequest({ _tag: request._tag, path })}: ${name} is ${
      show(name, value)
    }; it must be ${expected} (EINVAL)`,
    code: "EINVAL",
  })
}

export const checkRequest = (request: FileRequest): FileFault | undefined => {
  const fields: ReadonlyArray<readonly [name: string, value: unknown]> = Object.entries(request)
  for (const [name, value] of fields) {
    const check = checks[name]
    if (check !== undefined && !check[0](value)) return fieldFault(request, name, value, check[1])
  }
  return undefined
}
