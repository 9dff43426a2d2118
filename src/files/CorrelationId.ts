/** Schema of the id that correlates the events of a branch with their request. */
export { CommandId as CorrelationId } from "../command/CommandId.ts"
