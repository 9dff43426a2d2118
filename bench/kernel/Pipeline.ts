/** Declares pipelines of the program that the kernel's bench measures. */

/** The words of each stage. */
export type Stages = ReadonlyArray<ReadonlyArray<string>>

/** Runs a pipeline, and answers with what its last stage wrote. */
export type Pipeline = (stages: Stages) => Promise<string>
