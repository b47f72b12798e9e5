# A folder of images; sourced by script tests.

# make_images: a folder `images` with four pictures of 24 x 20 pixels of each class, cat and dog, and a broken file.
make_images() {
  mkdir -p images/cat images/dog
  local i class
  for i in 1 2 3 4; do
    for class in cat dog; do
      { printf 'P6 24 20 255\n' && head -c 1440 < <(yes "$class $i"); } >one.ppm
      gdal_translate -q -of PNG one.ppm "images/$class/$i.png"
    done
  done
  rm -f one.ppm images/*/*.aux.xml
  echo broken >images/dog/9.jpg
}
