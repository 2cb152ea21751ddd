// One picture: floor, parts, creases, ghost, arrows and the axes in the corner.

const PAINTS = { part: 0, displacement: 1, x: 2, y: 3, z: 4, stress: 5 };
const PLAIN = 6;
const AXES = [[0.78, 0.27, 0.24], [0.25, 0.58, 0.33], [0.22, 0.46, 0.77]];
const TRIAD = 92; // size of the corner with the axes, in CSS pixels

class Picture {
  constructor(gl, scene) {
    this.gl = gl;
    this.scene = scene;
    this.shader = programOf(gl, "part.vert", "part.frag", RECORDED.map(([name]) => name));
    this.grid = programOf(gl, "grid.vert", "grid.frag");
    this.parts = scene.parts.map((part) => uploaded(gl, part));
    this.arrow = uploaded(gl, arrowPart(1));
    this.moment = uploaded(gl, arrowPart(2));
    this.ramps = Object.fromEntries(scene.colorings.map((each) => [each.name, rampTexture(gl, each.stops)]));
    this.anyRamp = Object.values(this.ramps)[0];
    this.floor = gl.createVertexArray();
    gl.bindVertexArray(this.floor);
    bufferOf(gl, gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    this.spacing = roundStep(scene.radius / 5);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // `view`: the options; `moment`: the time; `carrier`: motion of the picture when the camera follows a body.
  draw(view, moment, eye, carrier, size, ratio) {
    const { gl } = this;
    gl.viewport(0, 0, size[0], size[1]);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.useShader(eye.place, eye.matrix, view);
    for (const onCard of this.parts) {
      if (onCard.part.kind === "symbol" && !view.symbols) continue;
      this.drawPart(onCard, view, moment, carrier);
    }
    if (view.arrows) for (const arrow of this.scene.arrows) this.drawArrow(arrow, view, moment, carrier);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (view.ghost) this.drawGhosts(view, moment, carrier);
    if (view.grid) this.drawFloor(view, eye, carrier);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    this.drawTriad(eye, carrier, view, Math.round(TRIAD * ratio), size);
    gl.bindVertexArray(null);
  }

  theme(view) { return this.scene.themes[view.dark ? "dark" : "light"]; }

  useShader(place, matrix, view) {
    const { gl, shader } = this;
    gl.useProgram(shader.program);
    gl.uniform3fv(shader.at.eye, place);
    gl.uniformMatrix4fv(shader.at.camera, false, matrix);
    gl.uniform1i(shader.at.shapes, 0);
    gl.uniform1i(shader.at.stresses, 1);
    gl.uniform1i(shader.at.weights, 2);
    gl.uniform1i(shader.at.ramp, 3);
    const coloring = this.scene.colorings.find((each) => each.name === view.color);
    const largest = (coloring && coloring.largest) || 1e-12;
    gl.uniform1f(shader.at.low, "xyz".includes(view.color) ? -largest : 0);
    gl.uniform1f(shader.at.high, largest);
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.ramps[view.color] || this.anyRamp);
  }

  // Everything about a part except what is drawn of it.
  prepare(onCard, pose, weights, stresses) {
    const { gl, shader } = this;
    const { part } = onCard;
    gl.bindVertexArray(onCard.vertices);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, onCard.shapes);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, onCard.stresses);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, onCard.weights);
    const count = part.bending.steps.length;
    if (count) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, count, 1, gl.RG, gl.FLOAT, weights);
    if (stresses.length) {
      const pairs = Float32Array.from({ length: 2 * stresses.length }, (_, i) => (i % 2 ? 0 : stresses[i / 2]));
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 1, stresses.length, 1, gl.RG, gl.FLOAT, pairs);
    }
    gl.uniform1i(shader.at.columns, TEXTURE_WIDTH);
    gl.uniform1i(shader.at.shapeCount, count);
    gl.uniform1i(shader.at.stressCount, stresses.length);
    gl.uniform3fv(shader.at.origin, part.origin);
    gl.uniform3fv(shader.at.stepSize, part.step);
    gl.uniformMatrix4fv(shader.at.pose, false, pose);
  }

  // Symbols that are dark on a light ground would vanish on a dark one.
  shownColor(part, view) {
    const { light, dark } = this.scene.themes;
    const isPlain = part.kind === "symbol" && part.color.every((value, k) => Math.abs(value - light.symbol[k]) < 0.01);
    return isPlain && view.dark ? dark.symbol : part.color;
  }

  paint(color, paint, opacity) {
    const { gl, shader } = this;
    gl.uniform3fv(shader.at.color, color);
    gl.uniform1i(shader.at.paint, paint);
    gl.uniform1f(shader.at.opacity, opacity);
  }

  elements(kind, buffer, count) {
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, buffer);
    this.gl.drawElements(kind, count, this.gl.UNSIGNED_INT, 0);
  }

  surface(onCard) { this.elements(this.gl.TRIANGLES, onCard.surface, onCard.mesh.index.length); }

  drawPart(onCard, view, moment, carrier) {
    const { gl } = this;
    const { part } = onCard;
    const paint = paintOf(part, view.color);
    const stresses = paint === PAINTS.stress ? stressWeights(part, moment) : [];
    this.prepare(onCard, product(carrier, poseAt(part, moment)), bendingWeights(part, moment, view.scale), stresses);
    this.paint(this.shownColor(part, view), paint, 1);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.surface(onCard);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (!view.edges || part.kind === "symbol") return;
    gl.enable(gl.BLEND);
    this.paint(this.theme(view).edge, PLAIN, 0.5);
    this.elements(gl.LINES, onCard.lines, onCard.mesh.lines.length);
    gl.disable(gl.BLEND);
  }

  drawGhosts(view, moment, carrier) {
    const { gl } = this;
    const color = this.theme(view).ghost;
    for (const onCard of this.parts) {
      const { part } = onCard;
      if (part.kind !== "flexible") continue;
      this.prepare(onCard, product(carrier, poseAt(part, moment)), bendingWeights(part, moment, 0), []);
      this.paint(color, PAINTS.part, 0.22);
      this.surface(onCard);
      this.paint(color, PLAIN, 0.45);
      this.elements(gl.LINES, onCard.lines, onCard.mesh.lines.length);
    }
  }

  drawArrow(arrow, view, moment, carrier) {
    const { at, vector, size } = arrowAt(arrow, moment, view.scale);
    const share = arrowLength(size, this.scene.arrowLargest[arrow.unit], view);
    const isMoment = arrow.unit !== "N";
    // Below the length of its head an arrow shrinks as a whole.
    const head = isMoment ? 0.08 : 0.05;
    const shrink = Math.min(1, share / head);
    if (!(shrink > 0.02)) return;
    this.drawAlong(isMoment ? this.moment : this.arrow, product(carrier, poseAlong(at, vector)),
      this.scene.radius * shrink, share / shrink, this.scene.arrowColors[arrow.kind]);
  }

  drawAlong(onCard, pose, size, shaft, color) {
    const enlarge = [size, 0, 0, 0, 0, size, 0, 0, 0, 0, size, 0, 0, 0, 0, 1];
    this.prepare(onCard, product(pose, enlarge), new Float32Array([shaft, 0]), []);
    this.paint(color, PAINTS.part, 1);
    this.surface(onCard);
  }

  drawFloor(view, eye, carrier) {
    const { gl, grid, scene } = this;
    const [x, y, z] = scene.axes;
    const below = scene.floor - 0.002 * scene.radius;
    // The lines pass through the origin, the middle of the floor lies below the scene.
    const middle = [x, y].map((axis) => Math.round(dot(scene.center, axis) / (5 * this.spacing)) * 5 * this.spacing);
    const at = add(add(scaled(x, middle[0]), y, middle[1]), z, below);
    gl.useProgram(grid.program);
    gl.uniformMatrix4fv(grid.at.pose, false, product(carrier, placed(x, y, z, at)));
    gl.uniformMatrix4fv(grid.at.camera, false, eye.matrix);
    gl.uniform1f(grid.at.spacing, this.spacing);
    gl.uniform1f(grid.at.reach, 5 * scene.radius);
    gl.uniform3fv(grid.at.color, this.theme(view).grid);
    gl.bindVertexArray(this.floor);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  // World axes in the lower right corner.
  drawTriad(eye, carrier, view, side, size) {
    const { gl } = this;
    gl.viewport(size[0] - side, 0, side, side);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(size[0] - side, 0, side, side);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.SCISSOR_TEST);
    this.useShader(scaled(eye.back, 100), product(orthographic(1.7, 1, 3), eye.turn), view);
    AXES.forEach((color, k) => {
      const axis = turnVector(carrier, [0, 1, 2].map((j) => (j === k ? 1 : 0)));
      this.drawAlong(this.arrow, poseAlong([0, 0, 0], axis), 6, 1 / 6, color);
    });
  }

  // Output of the vertex shader for a part: drawn position, deflection and stress of its points.
  recorded(number, view, moment, eye) {
    const onCard = this.parts[number];
    this.useShader(eye.place, eye.matrix, view);
    const { part } = onCard;
    this.prepare(onCard, poseAt(part, moment), bendingWeights(part, moment, view.scale), stressWeights(part, moment));
    const points = recordedPoints(this.gl, onCard);
    this.gl.bindVertexArray(null);
    return points;
  }
}

function paintOf(part, color) {
  if (part.kind !== "flexible" || !part.bending.steps.length) return PAINTS.part;
  if (color === "stress" && !part.stress.steps.length) return PAINTS.part;
  return PAINTS[color];
}
