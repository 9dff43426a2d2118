/**
 * Makes the markers that identify the processes of a run by an environment variable, even after they left their
 * parents, and joins those of nested runs.
 *
 * Another program that knows only the command's id can also find these processes. A marker is `sluice-NAME.HOST-RUN`.
 * `NAME` derives from the command's id. `HOST` is the process id of the host in base 36, which distinguishes equal ids
 * that callers chose in two journals. `RUN` is random, of fixed length, so that two runs with one id do not find each
 * other's processes. A variable costs time at every spawn, so a marker is short: about 40 characters for an id that is
 * a UUID.
 */
import { digest } from "./digest.ts"

/** The variable that marks the processes of a run. */
export const markerName = "SLUICE_RUN"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Encodes the 128 bits of a UUID in 22 characters; hand-written for speed, as it runs for every command. */
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
 * The prefix of the markers of all runs of a command, or of those that one process has started. A UUID becomes 22 characters,
 * any other id 16.
 */
export const markOf = (commandId: string, hostPid?: number): string =>
  `sluice-${uuid.test(commandId) ? pack(commandId) : digest(commandId)}.${
    hostPid === undefined ? "" : `${hostPid.toString(36)}-`
  }`

const random = (): string => Math.random().toString(36).slice(2, 8).padEnd(6, "0")

export const newMarker = (commandId?: string, hostPid?: number): string =>
  commandId === undefined ? `sluice-.${random()}${random()}` : `${markOf(commandId, hostPid)}${random()}`

/** Maximum length of outer markers: about six nested runs. */
const maxOuterLength = 240

/** Maximum length of a marker; a longer text is not one. */
const maxMarkerLength = 64

/**
 * Joins the markers of nested runs, the outer one first, so that ending the outer run ends the inner one too. If they are too
 * long, whole outermost markers are dropped.
 */
export const nestedMarker = (outer: string | undefined, marker: string): string => {
  if (outer === undefined) return marker
  let markers = marker
  for (const each of outer.split(":").toReversed()) {
    if (each === "" || each.length > maxMarkerLength) continue
    if (each.length + markers.length > maxOuterLength + marker.length) break
    markers = `${each}:${markers}`
  }
  return markers
}
