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
import type { EventWithId } from "./commandEvents.ts"
import type { EventsType } from "./negotiate.ts"
import type { Bytes } from "./streamBody.ts"

/** How events become bytes of a form. */
export interface EventFormat {
  readonly encode: (events: ReadonlyArray<ShellEvent>) => Bytes
  /** The same with the ids that they have for every reader, where the form tells them. */
  readonly encodeWithIds: (events: ReadonlyArray<EventWithId>) => Bytes
  /** What is sent to somebody who waits while nothing comes. */
  readonly keepAlive: Bytes
}

const encoder = new TextEncoder()

const withoutIds = (encode: EventFormat["encode"]): EventFormat["encodeWithIds"] => (events) =>
  encode(events.map(({ event }) => event))

/** How events are written in each form. */
export const eventFormats: Readonly<Record<EventsType, EventFormat>> = {
  [sseMediaType]: { encode: sseBytes, encodeWithIds: sseBytesWithIds, keepAlive: encoder.encode(": keep-alive\n\n") },
  [ndjsonMediaType]: { encode: ndjsonBytes, encodeWithIds: withoutIds(ndjsonBytes), keepAlive: encoder.encode("\n") },
  [framesMediaType]: { encode: framesBytes, encodeWithIds: withoutIds(framesBytes), keepAlive: emptyFrame },
}
