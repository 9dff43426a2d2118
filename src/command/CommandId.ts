/** Declares the Schema of command ids, which correlate events with their command, and generates new ids. */
import * as Schema from "effect/Schema"
import { commandIdPattern, commandIdRule } from "./plain/commandId.ts"
import { makeUuidV7 } from "./makeUuidV7.ts"

const idSchema = (): Schema.String =>
  Schema.String.check(Schema.isPattern(commandIdPattern, { message: `a command id must be ${commandIdRule}` }))

const plain = idSchema()

const make = (id?: string, options?: Schema.MakeOptions): CommandId =>
  id === undefined ? makeUuidV7() : plain.make(id, options)

/** A Schema inherits `make` from an accessor, which an assignment would not replace. */
function defineMake(schema: Schema.String): asserts schema is CommandIdSchema {
  Object.defineProperty(schema, "make", { value: make })
}

const schema: Schema.String = idSchema()
defineMake(schema)

/** The Schema of a command id, with its constructor. */
export interface CommandIdSchema extends Schema.String {
  /**
   * Without an argument, makes a UUIDv7: ids of one process sort in the order they were made. With one, checks it.
   *
   * @throws when the id is not 1 to 200 printable ASCII characters.
   */
  readonly make: {
    (): CommandId
    (id: string, options?: Schema.MakeOptions): CommandId
  }
}

/**
 * Schema of a command id: 1 to 200 printable ASCII characters.
 *
 * @example
 * ```ts
 * import { CommandId } from "@sluice/shell"
 *
 * const [first, second] = [CommandId.make(), CommandId.make()]
 * console.log(first < second && first.length) // 36
 * console.log(CommandId.make("build-42")) // build-42
 * ```
 */
export const CommandId: CommandIdSchema = schema

/** A command id: a UUIDv7 unless the caller gave one. */
export type CommandId = string
