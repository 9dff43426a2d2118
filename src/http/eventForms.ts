/** Encodes events, with or without ids, and keep-alives as NDJSON, server-sent events or binary frames. */
import { encodeUtf8 } from "../base/bytes.ts"
import type { ShellEvent } from "../command/ShellFault.ts"
import * as Frames from "../wire/frames.ts"
import * as Ndjson from "../wire/ndjson.ts"
import * as Sse from "../wire/sse.ts"
import type { EventWithId } from "./commandEvents.ts"
import type { EventsType } from "./negotiate.ts"
import type { Bytes } from "./streamBody.ts"

export interface EventFormat {
  readonly encode: (events: ReadonlyArray<ShellEvent>) => Bytes
  /** Encodes events with their ids, where the format has ids. */
  readonly encodeWithIds: (events: ReadonlyArray<EventWithId>) => Bytes
  readonly keepAlive: Bytes
}

const withoutIds = (encode: EventFormat["encode"]): EventFormat["encodeWithIds"] => (events) =>
  encode(events.map(({ event }) => event))

export const eventFormats: Readonly<Record<EventsType, EventFormat>> = {
  [Sse.mediaType]: {
    encode: Sse.toBytes,
    encodeWithIds: Sse.toBytesWithIds,
    keepAlive: encodeUtf8(": keep-alive\n\n"),
  },
  [Ndjson.mediaType]: {
    encode: Ndjson.toBytes,
    encodeWithIds: withoutIds(Ndjson.toBytes),
    keepAlive: encodeUtf8("\n"),
  },
  [Frames.mediaType]: {
    encode: Frames.toBytes,
    encodeWithIds: withoutIds(Frames.toBytes),
    keepAlive: Frames.keepAlive,
  },
}
