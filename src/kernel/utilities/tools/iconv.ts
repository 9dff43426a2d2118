/** Implements the `iconv` utility, which converts between encodings of text. */
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { encodingNames, findEncoding, IllegalInput, type TextEncoding } from "./encodings.ts"

/** Written for characters that the target lacks, with //TRANSLIT. Source: locale/C-translit.h.in of glibc. */
const substitutes: Readonly<Record<string, string>> = {
  ...{ "\u00a0": " ", "\u00ab": "<<", "\u00bb": ">>", "\u00a9": "(C)", "\u00ae": "(R)", "\u00ad": "-" },
  ...{ "\u00c6": "AE", "\u00e6": "ae", "\u00df": "ss", "\u00d7": "x", "\u0152": "OE", "\u0153": "oe" },
  ...{ "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-", "\u2018": "'" },
  ...{ "\u2019": "'", "\u201a": ",", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u201e": ",,", "\u201f": '"' },
  ...{ "\u2020": "+", "\u2022": "o", "\u2024": ".", "\u2025": "..", "\u2026": "...", "\u2039": "<", "\u203a": ">" },
  ...{
    "\u20ac": "EUR",
    "\u2122": "(TM)",
    "\u2190": "<-",
    "\u2192": "->",
    "\u21d0": "<=",
    "\u21d2": "=>",
    "\u2212": "-",
  },
  ...{ "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl" },
}

/** The replacement of a character: a substitute, or in a UTF-8 locale its letter without marks. */
const transliterate = (character: string, isUtf8: boolean, can: (text: string) => boolean): string => {
  const fixed = substitutes[character]
  if (fixed !== undefined && can(fixed)) return fixed
  const plain = isUtf8 ? character.normalize("NFKD").replace(/\p{M}/gu, "") : ""
  return plain !== "" && plain !== character && can(plain) ? plain : "?"
}

/** An encoding and the suffixes of its name: `ASCII//TRANSLIT//IGNORE`. */
const parseName = (io: UtilityIo, text: string, direction: "from" | "to") => {
  const [name = "", ...suffixes] = text.split("//")
  const encoding = findEncoding(name === "" ? "UTF-8" : name)
  if (encoding === undefined || (direction === "to" && encoding.encoder === undefined)) {
    io.fail(`conversion ${direction} \`${name}' is not supported\nTry \`iconv --help' for more information.`)
  }
  const has = (suffix: string) => suffixes.some((part) => part.toUpperCase() === suffix)
  return { encoding, hasTranslit: has("TRANSLIT"), ignores: has("IGNORE") }
}

/**
 * `iconv [-cs] [-f ENCODING] [-t ENCODING[//TRANSLIT]] [-o FILE] [FILE]...`, `iconv -l`: converts text between encodings. Source:
 * iconv(1).
 */
export const iconv: Program = defineUtility(
  "iconv",
  "f|from-code: t|to-code: c o|output: l|list",
  async (io) => {
    if (io.has("l")) {
      io.print(encodingNames().map((name) => `${name}//\n`).join(""))
      return 0
    }
    const { env } = io.system
    const locale = env.get("LC_ALL") || env.get("LC_CTYPE") || env.get("LANG")
    const own = locale === undefined || isUtf8Locale(env) ? "UTF-8" : "ASCII"
    const from = parseName(io, io.value("f") ?? own, "from")
    const to = parseName(io, io.value("t") ?? own, "to")
    const path = io.value("o")
    const fd = path === undefined || path === "-" ? 1 : io.openOutput(path)
    if (fd < 0) return 1
    const drops = io.has("c") || to.ignores
    const converter = new Converter(io, fd, from.encoding, to.encoding, drops, to.hasTranslit)
    for (const input of io.inputs()) {
      if (!await converter.convert(io.chunks(input))) return 1
    }
    // -c drops characters silently, //IGNORE reports them.
    if (converter.hasDropped && !io.has("c")) io.warn("illegal input sequence")
    return io.exitCode
  },
  { withoutEffect: { "s|silent": "there are no warnings, only errors" } },
)

class Converter {
  readonly #io: UtilityIo
  readonly #fd: number
  readonly #drops: boolean
  readonly #hasTranslit: boolean
  readonly #isUtf8: boolean
  readonly #from: TextEncoding
  readonly #encode: (text: string, missing: (character: string, at: number) => string) => Uint8Array
  readonly #can: (text: string) => boolean
  hasDropped = false

  constructor(io: UtilityIo, fd: number, from: TextEncoding, to: TextEncoding, drops: boolean, hasTranslit: boolean) {
    this.#io = io
    this.#fd = fd
    this.#drops = drops
    this.#hasTranslit = hasTranslit
    this.#isUtf8 = isUtf8Locale(io.system.env)
    this.#from = from
    const encoder = to.encoder?.()
    this.#encode = encoder?.encode ?? (() => new Uint8Array())
    this.#can = encoder?.can ?? (() => false)
  }

  /** Converts one file. Returns whether all of it could be converted; what comes before an error is written. */
  async convert(pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
    const decoder = this.#from.decoder(this.#drops)
    for await (const piece of pieces) if (!await this.#step(() => decoder.decode(piece, false))) return false
    const isWhole = await this.#step(() => decoder.decode(new Uint8Array(), true))
    if (decoder.hasDropped) this.hasDropped = true
    return isWhole
  }

  async #step(decode: () => string): Promise<boolean> {
    let text = ""
    let failure: IllegalInput | undefined
    try {
      text = decode()
    } catch (cause) {
      if (!(cause instanceof IllegalInput)) throw cause
      failure = cause
      text = cause.before
    }
    let missing: string | undefined
    const bytes = this.#encode(text, (character) => {
      if (this.#hasTranslit) return transliterate(character, this.#isUtf8, this.#can)
      if (this.#drops) this.hasDropped = true
      else missing ??= character
      return ""
    })
    if (missing !== undefined) {
      await this.#write(this.#encode(text.slice(0, text.indexOf(missing)), () => ""))
      this.#io.warn(`cannot convert`)
      return false
    }
    await this.#write(bytes)
    if (failure === undefined) return true
    this.#io.warn(
      failure.isIncomplete
        ? "incomplete character or shift sequence at end of buffer"
        : `illegal input sequence at position ${failure.position}`,
    )
    return false
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const written = await this.#io.system.writeAll(this.#fd, bytes)
    if (written < 0) this.#io.fail("write error", written)
  }
}
