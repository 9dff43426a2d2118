/** Makes the Schemas of a branch's messages. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import type { SchemaCodecOptions } from "./makeSchemaCodec.ts"

/** The Schema of a request: its tag, its id, and fields of its own. */
export type RequestSchema<Tag extends string, Fields extends Schema.Struct.Fields> = Schema.TaggedStruct<
  Tag,
  { readonly correlationId: Schema.withConstructorDefault<typeof CommandId> } & Fields
>

/**
 * Makes the Schema of a request. Its id is made where the caller gives none.
 *
 * @example
 * ```ts
 * import { requestSchema } from "@sluice/shell/branch"
 * import { Schema } from "effect"
 *
 * const Ask = requestSchema("Ask", { question: Schema.String })
 * console.log(Ask.make({ question: "why?" }).correlationId.length) // 36
 * ```
 */
export const requestSchema = <const Tag extends string, const Fields extends Schema.Struct.Fields>(
  tag: Tag,
  fields: Fields,
): RequestSchema<Tag, Fields> =>
  Schema.TaggedStruct<Tag, { readonly correlationId: Schema.withConstructorDefault<typeof CommandId> } & Fields>(tag, {
    correlationId: CommandId.pipe(Schema.withConstructorDefault(Effect.sync(() => CommandId.make()))),
    ...fields,
  })

/** The Schema of an event or a fault: its tag, the id of its request, and fields of its own. */
export type EventSchema<Tag extends string, Fields extends Schema.Struct.Fields> = Schema.TaggedStruct<
  Tag,
  { readonly correlationId: typeof CommandId } & Fields
>

/**
 * Makes the Schema of an event.
 *
 * @example
 * ```ts
 * import { eventSchema } from "@sluice/shell/branch"
 * import { Schema } from "effect"
 *
 * const Answer = eventSchema("Answer", { text: Schema.String })
 * console.log(Answer.make({ correlationId: "a1", text: "because" })._tag) // Answer
 * ```
 */
export const eventSchema = <const Tag extends string, const Fields extends Schema.Struct.Fields>(
  tag: Tag,
  fields: Fields,
): EventSchema<Tag, Fields> =>
  Schema.TaggedStruct<Tag, { readonly correlationId: typeof CommandId } & Fields>(tag, {
    correlationId: CommandId,
    ...fields,
  })

interface Tagged {
  readonly fields: { readonly _tag: { readonly schema: { readonly literal: string } } }
}

type MessageUnion<Message> = Schema.Codec<Message, unknown> & { readonly members: ReadonlyArray<Tagged> }

export const messagesOf = <Message>(schema: MessageUnion<Message>): SchemaCodecOptions<Message> => ({
  tags: schema.members.map(({ fields }) => fields._tag.schema.literal),
  schema,
})
