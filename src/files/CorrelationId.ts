/**
 * Schema of the id that correlates the events of a branch with their request: that of commands, under its general name.
 */
export { CommandId as CorrelationId } from "../command/CommandId.ts"
