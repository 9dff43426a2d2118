/** Describes a branch for its routes: its name, and the tags of its requests and answers. */
import type { Message } from "./ServiceBranch.ts"

/** The part of a branch that routes need: its names, and the tags of its entries. */
export interface RoutedBranch {
  readonly name: string
  /** The name of its declaration, for messages. */
  readonly constantName: string
  readonly requests: ReadonlyArray<string>
  readonly answers: ReadonlyArray<string>
}

export const routedBranch = (branch: {
  readonly name: string
  readonly constantName: string
  readonly request: { readonly tags: ReadonlyArray<string> }
  readonly event: { readonly tags: ReadonlyArray<string> }
}): RoutedBranch => ({
  name: branch.name,
  constantName: branch.constantName,
  requests: branch.request.tags,
  // Only journals have a StreamEnd.
  answers: branch.event.tags.filter((tag) => tag !== "StreamEnd"),
})

export const isRequestOf = <Request extends Message>(
  { request }: {
    readonly request: { readonly tags: ReadonlyArray<string>; readonly encode: (request: Request) => unknown }
  },
) =>
(message: Message): message is Request => request.tags.includes(message._tag)
