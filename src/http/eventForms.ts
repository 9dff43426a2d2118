/**
 * The forms in which events are answered.
 *
 * @module
 */
import type { ShellEvent } from "../command/ShellFault.ts"
import {
  emptyFrame,
  framesBytes,
  framesMediaType,
  ndjsonBytes,
  ndjsonMediaType,
  sseBytes,
  sseBytesWithIds,
  sseMediaType,
} from "../wire/Wire.ts"
import type { Numbered } from "./commandEvents.ts"
import type { EventsType } from "./negotiate.ts"
import type { Bytes } from "./streamBody.ts"

/** How events become bytes of a form. */
export interface EventForm {
  readonly encode: (events: ReadonlyArray<ShellEvent>) => Bytes
  /** The same with the ids that they have for every reader, where the form tells them. */
  readonly numbered: (events: ReadonlyArray<Numbered>) => Bytes
  /** What is sent to somebody who waits while nothing comes. */
  readonly silence: Bytes
}

const encoder = new TextEncoder()

const withoutIds = (encode: EventForm["encode"]): EventForm["numbered"] => (events) =>
  encode(events.map(({ event }) => event))

/** How events are written in each form. */
export const eventForms: Readonly<Record<EventsType, EventForm>> = {
  [sseMediaType]: { encode: sseBytes, numbered: sseBytesWithIds, silence: encoder.encode(": keep-alive\n\n") },
  [ndjsonMediaType]: { encode: ndjsonBytes, numbered: withoutIds(ndjsonBytes), silence: encoder.encode("\n") },
  [framesMediaType]: { encode: framesBytes, numbered: withoutIds(framesBytes), silence: emptyFrame },
}
