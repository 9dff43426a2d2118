/** The job of a measuring process. */
import * as Schema from "effect/Schema"

/** A PostgreSQL server of the bench's own. */
export interface Server {
  readonly port: number
  readonly password: string
}

/** The job of a measuring process. */
export interface Job {
  /** A folder of its own, on the disk of the repository. */
  readonly folder: string
  /** Entries to append. */
  readonly rows: number
  /** Entries of the journal that is opened. */
  readonly largeRows: number
  /** The journal of so many entries, made once. */
  readonly large: string
  readonly server: Server | null
}

/** The job of a command line's argument. */
export const decodeJob: (text: string) => Job = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      folder: Schema.String,
      rows: Schema.Number,
      largeRows: Schema.Number,
      large: Schema.String,
      server: Schema.NullOr(
        Schema.Struct({ port: Schema.Number, password: Schema.String }),
      ),
    }),
  ),
)
