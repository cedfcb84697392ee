/** Ridge regression on sparse rows by conjugate gradients. */

export interface Row {
  readonly features: Int32Array;
  readonly values: Float32Array;
  readonly target: number;
}

/** Pulls weights that few samples speak for towards 0. */
const RIDGE = 0.03;
const STEPS = 200;

function dot(row: Row, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < row.features.length; i++) sum += weights[row.features[i]!]! * row.values[i]!;
  return sum;
}

function addScaled(into: Float64Array, row: Row, factor: number): void {
  for (let i = 0; i < row.features.length; i++) into[row.features[i]!]! += factor * row.values[i]!;
}

/** (XᵀX + ridge) × vector. */
function multiply(rows: readonly Row[], vector: Float64Array): Float64Array {
  const product = vector.map((value) => value * RIDGE);
  for (const row of rows) addScaled(product, row, dot(row, vector));
  return product;
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The weights whose sums over the rows come nearest to the targets. */
export function fit(size: number, rows: readonly Row[]): Float64Array {
  const weights = new Float64Array(size);
  const residual = new Float64Array(size);
  const scale = new Float64Array(size).fill(RIDGE);
  for (const row of rows) {
    addScaled(residual, row, row.target);
    for (let i = 0; i < row.features.length; i++) scale[row.features[i]!]! += row.values[i]! ** 2;
  }
  let scaled = residual.map((value, i) => value / scale[i]!);
  let direction = scaled.slice();
  let norm = inner(residual, scaled);
  for (let step = 0; step < STEPS; step++) {
    const product = multiply(rows, direction);
    const length = norm / inner(direction, product);
    for (let i = 0; i < size; i++) {
      weights[i]! += length * direction[i]!;
      residual[i]! -= length * product[i]!;
    }
    scaled = residual.map((value, i) => value / scale[i]!);
    const next = inner(residual, scaled);
    const turn = next / norm;
    direction = direction.map((value, i) => scaled[i]! + turn * value);
    norm = next;
  }
  return weights;
}
