/** Makes the sample files: text by path inside the project. */
export declare function createSampleFiles(): Record<string, string>;
