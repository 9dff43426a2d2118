/**
 * The variable by which the processes of a run are found again, also those that left their parents, and also by a
 * program that did not start them and knows no more than the command's id.
 *
 * A marker is `sluice-NAME.HOST-RUN`. `NAME` follows from the command's id. `HOST` is the process id of who runs it, to
 * base 36: ids that callers choose may be the same in two journals, and who died had one process id. `RUN` is random, and
 * of one length: of two runs with one id each finds its own. A variable costs at every spawn, so a marker is short: about
 * 40 characters for an id that is a UUID.
 *
 * @module
 */
import { digest } from "./digest.ts"

/** The variable that marks the processes of a run. */
export const markerName = "SLUICE_RUN"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** The 128 bits of a UUID in 22 characters. This is done for every command, so it is done by hand. */
const pack = (uuid: string): string => {
  let packed = ""
  let bits = 0
  let held = 0
  for (let at = 0; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at)
    if (code === 0x2d) continue
    bits = (bits << 4) | (code > 0x39 ? code - 0x57 : code - 0x30)
    held += 4
    if (held < 6) continue
    held -= 6
    packed += alphabet.charAt(bits >> held)
    bits &= (1 << held) - 1
  }
  return packed + alphabet.charAt(bits << (6 - held))
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * What the markers of all runs of a command begin with, and of no other's; or of those that one process has started. Ids
 * are made as UUIDs, and those become 22 characters; any other id, however long and whatever is in it, 16.
 */
export const markOf = (commandId: string, hostPid?: number): string =>
  `sluice-${uuid.test(commandId) ? pack(commandId) : digest(commandId)}.${
    hostPid === undefined ? "" : `${hostPid.toString(36)}-`
  }`

const random = (): string => Math.random().toString(36).slice(2, 8).padEnd(6, "0")

/** A new marker, for a run of the command by a process, or of something that has no id: none is there by chance. */
export const newMarker = (commandId?: string, hostPid?: number): string =>
  commandId === undefined ? `sluice-.${random()}${random()}` : `${markOf(commandId, hostPid)}${random()}`

/** The room that outer markers have: some six runs within each other. */
const outerLength = 240

/** Longer than any marker: whoever wrote it was not us. */
const foreignLength = 64

/**
 * A run within a run carries both markers, the outer one first: whoever ends the outer ends the inner too. Where they
 * are too many the outermost go, whole: half a marker would find nobody.
 */
export const nestedMarker = (outer: string | undefined, marker: string): string => {
  let markers = marker
  for (const each of (outer ?? "").split(":").toReversed()) {
    if (each === "" || each.length > foreignLength) continue
    if (each.length + markers.length > outerLength + marker.length) break
    markers = `${each}:${markers}`
  }
  return markers
}
