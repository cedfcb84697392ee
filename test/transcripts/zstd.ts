import zlib from "node:zlib";

/** Whether this Node has zstd: 22.15 and newer. */
export const HAS_ZSTD: boolean = "createZstdDecompress" in zlib;

/**
 * A rollout of Codex of four lines (the user: "Grind the walnuts", the agent: "They are flour now.",
 * in /home/ada/mill), packed by the program `zstd`.
 */
export const PACKED_ROLLOUT: Buffer = Buffer.from(
  "KLUv/QBovQUAggsiGIBtA8AoIiX5K9/8o5Z4Lh7EbgJNLj0ZOkBVIZUKUOwlZ3zLYrlL4sb4Gb/33bkvooF+xN9+" +
    "Ou0Opt/8HV+UkN819o6Os/Sf/RZa3PxS2slCmQbKzLozbJJ9Mg7bNz8MVJW+5+Cwyg4MYzNAiQZKTMpUcUoxVTY+" +
    "aR0NdJ9h6+jc2ZUpO9IrFRAACvNGwpQjwaQTGA1UwndaN7MA2iBzxQZw8f1YOGELqaDFKoJLSCh7B0UP",
  "base64",
);
