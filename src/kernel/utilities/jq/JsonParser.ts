/**
 * Parses a sequence of JSON texts piece by piece, with the literals, limits and messages of jq. `JSON.parse` would lose the
 * order of keys such as `"1"`, long numbers and values that span pieces.
 */
import { type Coroutine, runCoroutineSync } from "../../Coroutine.ts"
import { detach } from "../../detach.ts"
import type { ValueBuilder } from "./ValueBuilder.ts"
import { parseNumber } from "./numbers.ts"
import { NumberLiteral, type Value } from "./values.ts"

/** The error of a text that is not JSON. */
export class JsonError extends Error {}

const space = 32
const quote = 34
const backslash = 92
const separator = 30

/** Classes of characters: 0 is part of a literal, 1 is white space, 2 structure, 3 a quote. */
const classes = new Uint8Array(128)
for (const letter of " \t\r\n") classes[letter.charCodeAt(0)] = 1
for (const letter of "[]{},:") classes[letter.charCodeAt(0)] = 2
classes[quote] = 3

const escapes: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" },
}

const surrogates = /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g

/** Replaces lone surrogates, which UTF-8 cannot hold. */
const toWellFormed = (text: string): string =>
  /[\ud800-\udfff]/.test(text) ? text.replace(surrogates, (found) => found.length === 2 ? found : "\ufffd") : text

/** Decodes the escapes of a string. Throws `JsonError`. */
export const unescape = (raw: string): string => runCoroutineSync(unescapeInSteps(raw))

function* unescapeInSteps(raw: string): Coroutine<string> {
  let out = ""
  // Pieces are joined in groups, because engines are slow to read a text that was built from single characters.
  let parts: Array<string> = []
  for (let at = 0; at < raw.length;) {
    if (parts.length > 4096) {
      out += parts.join("")
      parts = []
      yield
    }
    const next = raw.indexOf("\\", at)
    if (next < 0) return toWellFormed(out + parts.join("") + raw.slice(at))
    if (next > at) parts.push(raw.slice(at, next))
    const letter = raw[next + 1]
    if (letter === undefined) throw new JsonError("Expected escape character at end of string")
    if (letter !== "u") {
      const simple = escapes[letter]
      if (simple === undefined) throw new JsonError("Invalid escape")
      parts.push(simple)
      at = next + 2
      continue
    }
    const hex = raw.slice(next + 2, next + 6)
    if (hex.length < 4) throw new JsonError("Invalid \\uXXXX escape")
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new JsonError("Invalid characters in \\uXXXX escape")
    const code = parseInt(hex, 16)
    at = next + 6
    if (code >= 0xd800 && code < 0xdc00) {
      if (!/^\\u[dD][c-fC-F][0-9a-fA-F]{2}/.test(raw.slice(at, at + 6))) {
        throw new JsonError("Invalid \\uXXXX\\uXXXX surrogate pair escape")
      }
    }
    parts.push(String.fromCharCode(code))
  }
  return toWellFormed(out + parts.join(""))
}

/** Length of an unfinished string above which pieces are collected. */
const minJoined = 65_536

/** Maximum characters that one call of `next` parses, if no single token is longer. */
const maxParsed = 65_536

/** Pairs of keys that follow each other, by which the next key is guessed. */
const maxGuesses = 4096

export interface ParserOptions {
  /** The texts are separated by RS. Source: RFC 7464. */
  readonly isSequence?: boolean
}

export class JsonParser {
  readonly #builder: ValueBuilder
  readonly #isSequence: boolean
  readonly #successors = new Map<string, string>()
  #text = ""
  /** Text after it that is not searched yet. */
  #added = ""
  #at = 0
  /** Index at which the search for the end of an unfinished token continues. */
  #scanned = 0
  #isLast = false
  #isStart = true
  /** In a sequence, whether text is skipped until the next RS. */
  #isSkipping = false
  #lastKey = ""
  /** A string that is being decoded. */
  #decoding: Coroutine<string> | undefined
  /** Whether `next` has paused so that other processes can run; it must be called again before `feed`. */
  isPaused = false
  /** Newlines in the text before the buffer, and characters after the last of them. */
  #lines = 0
  #column = 0

  constructor(builder: ValueBuilder, options: ParserOptions = {}) {
    this.#builder = builder
    this.#isSequence = options.isSequence === true
    this.#isSkipping = this.#isSequence
  }

  /** Adds text; `isLast` marks the end. Call it when `next` has returned `undefined`. */
  feed(text: string, isLast: boolean): void {
    // A long string is joined when it has grown by half, so that all its pieces are not copied for each one.
    this.#added += text
    const isWithin = this.pending > minJoined && this.#scanned > this.#at && !text.includes('"')
    if (isWithin && !isLast && this.#added.length < (this.#text.length - this.#at) / 2) return
    this.#join(this.#added, isLast)
  }

  #join(text: string, isLast: boolean): void {
    this.#added = ""
    this.#count(this.#at)
    this.#scanned -= this.#at
    this.#text = this.#at < this.#text.length ? this.#text.slice(this.#at) + text : text
    this.#at = 0
    this.#isLast = isLast
    if (this.#isStart && this.#text !== "") {
      this.#isStart = false
      if (this.#text.charCodeAt(0) === 0xfeff) this.#at = 1
    }
  }

  /** Characters of a token that is not finished. */
  get pending(): number {
    return this.#text.length - this.#at + this.#added.length
  }

  /** The number of lines that were read, that of the last value included. */
  get lineNumber(): number {
    let lines = this.#lines
    let at = this.#text.indexOf("\n")
    for (; at >= 0 && at < this.#at; at = this.#text.indexOf("\n", at + 1)) lines++
    const isWithin = this.#at > 0 && this.#text[this.#at - 1] !== "\n"
    return lines + (isWithin && at >= 0 ? 1 : 0)
  }

  #count(end: number): void {
    let last = -1
    for (let at = this.#text.indexOf("\n"); at >= 0 && at < end; at = this.#text.indexOf("\n", at + 1)) {
      this.#lines++
      last = at
    }
    this.#column = last < 0 ? this.#column + end : end - last - 1
  }

  #fail(message: string, where = ""): never {
    this.#count(this.#at)
    this.#text = this.#text.slice(this.#at)
    this.#at = 0
    this.#builder.reset()
    const resync = this.#isSequence && where === "" ? " (need RS to resync)" : ""
    this.#isSkipping = this.#isSequence
    throw new JsonError(`${message}${where} at line ${this.#lines + 1}, column ${this.#column}${resync}`)
  }

  /** The next value; `undefined` if it has paused, more text is needed, or there is none. Throws `JsonError`. */
  next(): Value | undefined {
    this.isPaused = false
    if (this.#added !== "") return undefined
    const builder = this.#builder
    const stop = this.#at + maxParsed
    if (this.#decoding !== undefined && !this.#decode(this.#decoding)) return undefined
    for (;;) {
      if (this.#at > stop) {
        this.isPaused = true
        return undefined
      }
      const done = builder.take()
      if (done !== undefined) return done
      const text = this.#text
      let at = this.#at
      let kind = 1
      let code = space
      while (at < text.length) {
        code = text.charCodeAt(at)
        kind = code < 128 ? classes[code] ?? 0 : 0
        if (kind !== 1) break
        at++
      }
      this.#at = at
      if (at >= text.length) return this.#isLast ? this.#end() : undefined
      if (this.#isSequence && (code === separator || this.#isSkipping)) {
        this.#separate(code)
        continue
      }
      if (kind === 3) {
        if (!this.#string()) return undefined
      } else if (kind === 2) {
        this.#at = at + 1
        const problem = builder.token(text[at] ?? "")
        if (problem !== undefined) this.#fail(problem)
        if (code === 123) this.#lastKey = ""
      } else if (!this.#literal()) return undefined
    }
  }

  /** At the end of the input, an unfinished value is an error. */
  #end(): undefined {
    if (!this.#builder.isEmpty) {
      this.#builder.reset()
      this.#fail("Unfinished JSON term", " at EOF")
    }
    return undefined
  }

  #separate(code: number): void {
    if (code !== separator) {
      const next = this.#text.indexOf("\x1e", this.#at)
      this.#at = next < 0 ? this.#text.length : next
      if (next < 0) return
    }
    this.#at++
    this.#isSkipping = false
    if (this.#builder.isEmpty) return
    this.#fail("Truncated value", "")
  }

  #value(value: Value): void {
    const problem = this.#builder.value(value)
    if (problem !== undefined) this.#fail(problem)
  }

  #string(): boolean {
    const text = this.#text
    const start = this.#at + 1
    const isKey = this.#builder.expectsKey
    if (isKey) {
      const guess = this.#successors.get(this.#lastKey)
      if (guess !== undefined && text.startsWith(guess, start) && text.charCodeAt(start + guess.length) === quote) {
        this.#at = start + guess.length + 1
        this.#lastKey = guess
        this.#value(guess)
        return true
      }
    }
    let at = Math.max(start, this.#scanned)
    let isPlain = at === start
    for (;; at++) {
      if (at >= text.length) {
        // An escape may be split, so it is read again.
        this.#scanned = isPlain ? at : start
        if (!this.#isLast) return false
        this.#at = text.length
        this.#fail("Unfinished string", " at EOF")
      }
      const code = text.charCodeAt(at)
      if (code === quote) break
      if (code === backslash) {
        isPlain = false
        at++
      } else if (code < space) isPlain = false
    }
    this.#scanned = 0
    this.#at = at + 1
    const raw = detach(text.slice(start, at))
    // deno-lint-ignore no-control-regex -- control characters are what it looks for
    if (!isPlain && /[\x00-\x1f]/.test(raw)) {
      this.#fail("Invalid string: control characters from U+0000 through U+001F must be escaped")
    }
    if (isKey && isPlain && this.#successors.size < maxGuesses) this.#successors.set(this.#lastKey, raw)
    if (raw.includes("\\")) return this.#decode(unescapeInSteps(raw))
    this.#addString(raw)
    return true
  }

  #addString(value: string): void {
    if (this.#builder.expectsKey) this.#lastKey = value
    this.#value(value)
  }

  /** Continues with the escapes of a string. Returns `false` if it has paused. */
  #decode(steps: Coroutine<string>): boolean {
    this.#decoding = undefined
    let next
    try {
      next = steps.next()
    } catch (cause) {
      if (cause instanceof JsonError) this.#fail(cause.message)
      throw cause
    }
    this.isPaused = next.done !== true
    if (next.done === true) this.#addString(next.value)
    else this.#decoding = steps
    return !this.isPaused
  }

  #literal(): boolean {
    const text = this.#text
    const start = this.#at
    let at = start
    let integer = 0
    let digits = 0
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code < 128 ? classes[code] !== 0 || code === separator && this.#isSequence : false) break
      if (code >= 48 && code <= 57) {
        integer = integer * 10 + code - 48
        digits++
      }
    }
    if (at === text.length && !this.#isLast) {
      if (at - start > 100_000) this.#fail("Invalid numeric literal")
      return false
    }
    const length = at - start
    const word = text.slice(start, at)
    // The message points at the character after the literal.
    this.#at = Math.min(at + 1, text.length)
    const where = at === text.length ? " at EOF" : ""
    const first = text.charCodeAt(start)
    const isInteger = digits > 0 && digits < 16 && length === digits && (first !== 48 || digits === 1)
    let value: Value | undefined
    if (isInteger) value = integer
    else if (word === "true" || word === "false") value = word === "true"
    else if (word === "null") value = null
    else {
      if (first === 116 || first === 102 || word.startsWith("nu")) this.#fail("Invalid literal", where)
      const parsed = length > 100_000 ? undefined : parseNumber(word)
      if (parsed === undefined) return this.#fail("Invalid numeric literal", where)
      const [number, shown] = parsed
      value = shown === undefined ? number : new NumberLiteral(number, shown)
    }
    this.#value(value)
    this.#at = at
    return true
  }
}
