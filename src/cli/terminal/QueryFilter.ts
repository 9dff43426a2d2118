/**
 * Removes from a replayed output what a terminal would answer as if it were typed, and changes of the clipboard.
 *
 * The answers to queries of long ago would be typed into the program that reads now.
 *
 * Sources: ECMA-48, 5.4 and 8.3; xterm's control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html.
 *
 * @module
 */

/** Control sequences (CSI), strings (DCS, OSC), DECID and ENQ. */
const sequence =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[P\]]|[\x90\x9d])[^\x07\x18\x1a\x1b\x9c]*(?:\x07|\x9c|\x1b\\)|\x1bZ|\x05/g

/** The beginning of a sequence at the end of a piece. */
// deno-lint-ignore no-control-regex
const beginning = /(?:\x1b|(?:\x1b\[|\x9b)[0-?]*[ -/]*|(?:\x1b[P\]]|[\x90\x9d])[^\x07\x18\x1a\x1b\x9c]*\x1b?)$/

/** DA, DSR, DECRQM, XTVERSION, reports of the window (t), DECREQTPARM, DECRQCRA, DECRQPSR, kitty's keyboard, XTSMGRAPHICS. */
const csiQuery =
  /^(?:[>=]?[0-9;]*c|\??[0-9;]*n|\??[0-9;]*\$p|>[0-9;]*q|[0-9;]*[tx]|[0-9;]*\*y|[0-9;]*\$[uw]|\?u|\?[0-9;]*S)$/

/** DECRQSS, XTGETTCAP, and colours and the clipboard. */
const stringQuery = /^(?:[0-9;]*[$+]q|52;|[0-9]+(?:;[^;]*)*;\?)/

/** A longer string is no query. */
const maxHeldLength = 65_536

const isAnswered = (found: string): boolean => {
  // deno-lint-ignore no-control-regex
  const [, csi] = /^(?:\x1b\[|\x9b)(.*)$/s.exec(found) ?? []
  if (csi !== undefined) return csiQuery.test(csi)
  // deno-lint-ignore no-control-regex
  const [, text] = /^(?:\x1b[P\]]|[\x90\x9d])(.*)$/s.exec(found) ?? []
  return text === undefined || stringQuery.test(text)
}

/** A filter of one output. */
export class QueryFilter {
  #held = ""

  /** The next piece without queries; the beginning of a sequence is held back until the rest of it comes. */
  push(piece: string): string {
    const text = this.#held + piece
    const [held = ""] = beginning.exec(text) ?? []
    this.#held = held.length > maxHeldLength ? "" : held
    return text.slice(0, text.length - this.#held.length).replace(sequence, (found) => isAnswered(found) ? "" : found)
  }

  /** Prefix that is held back; the rest of the output is not filtered. */
  end(): string {
    const held = this.#held
    this.#held = ""
    return held
  }
}
