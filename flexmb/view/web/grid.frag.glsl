#version 300 es
// Lines one pixel wide at any distance; they fade where they would lie too close together and towards the rim.
precision highp float;
in vec2 place;
uniform vec3 color;
uniform float spacing, reach;
out vec4 pixel;

float lines(vec2 at) {
  vec2 width = max(fwidth(at), 1e-6);
  vec2 near = 1.0 - min(abs(fract(at - 0.5) - 0.5) / width, 1.0);
  vec2 sparse = 1.0 - smoothstep(0.2, 0.6, width);
  return max(near.x * sparse.x, near.y * sparse.y);
}

void main() {
  float strength = max(0.45 * lines(place / spacing), 0.9 * lines(place / (5.0 * spacing)));
  pixel = vec4(color, strength * (1.0 - smoothstep(0.1, 0.8, length(place) / reach)));
}
